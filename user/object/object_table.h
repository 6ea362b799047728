/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's table of files and objects, mmapped. */
#ifndef USER_OBJECT_OBJECT_TABLE_H
#define USER_OBJECT_OBJECT_TABLE_H

#include "base/error.h"
#include "job/job_map.h"
#include "object/object_list.h"

struct object_table;

/* File descriptors of the maps (they stay the caller's), and their size. */
struct object_maps {
	int objects, names;
	int forget, free;	/* programs, see bpf/errands.bpf.c */
	__u32 slots;		/* 0: objects are not counted */
	const __u32 *next_slot; /* in the mmapped .bss: how many were used after the first ones */
};

/* 0 and *out, or -ENOMEM or why a map cannot be mapped. */
int object_table__new(struct object_table **out, const struct object_maps *fds, struct error *err);
void object_table__free(struct object_table *table); /* NULL is fine */

/* How often the table is to be tended. */
#define OBJECT_TABLE_TEND_S 0.5

/*
 * Makes room where there is little left: of those that have not moved since the last time, the ones
 * that took least time are folded into one record for their job and layer. That takes two more
 * times, so that whoever is about to count is done. 0 or -ENOMEM: then it is tried again.
 */
int object_table__tend(struct object_table *table);

/* Puts all that there are into the list, by these jobs, in order. 0 or -ENOMEM. */
int object_table__read(struct object_table *table, const struct job_map *jobs,
		       struct object_list *list);

#endif
