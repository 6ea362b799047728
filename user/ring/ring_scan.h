/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which intact blocks a ring-buffered file has. The file may be written at the same time, cut,
 * damaged or hostile.
 */
#ifndef USER_RING_RING_SCAN_H
#define USER_RING_RING_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "ring/ring_block.h"

struct ring_scan {
	int fd;
	struct ring_layout layout;
	unsigned char *buffer;	   /* block_max bytes */
	struct ring_place *places; /* the intact blocks, by offset */
	size_t n, room;
	bool overrun; /* the writer goes around faster than blocks are found: there are gaps */
	__u64 parts;  /* 1 + offset of the newest block that is there in parts; 0: none */
};

/* layout and fd are set. 0 or -ENOMEM. */
int ring_scan__init(struct ring_scan *scan);
void ring_scan__free(struct ring_scan *scan);

/*
 * Looks for blocks: all of them the first time, then those after the newest one, and all again
 * where that one is overwritten. -ENOMEM, and places are those of before.
 */
int ring_scan__update(struct ring_scan *scan);

/* Reads a block into the buffer. False: it is not there any more. */
bool ring_scan__load(struct ring_scan *scan, const struct ring_place *place);

/* Is a block newer than the newest intact one there in parts? */
bool ring_scan__is_unfinished(const struct ring_scan *scan);

/* The offset at which the newest block ends; 0: there is none. */
__u64 ring_scan__end(const struct ring_scan *scan);

#endif
