/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mapping of an array of the kernel's, of which as much is mapped as was asked for: what is
 * mapped of a BPF map is resident memory at once, used or not. Its address stays the same.
 */
#ifndef USER_BASE_GROWN_MAP_H
#define USER_BASE_GROWN_MAP_H

#include <stddef.h>

struct grown_map {
	int fd; /* with BPF_F_MMAPABLE; stays the caller's */
	int protection;
	size_t bytes, mapped; /* of all elements; from the first one on */
	char *at;	      /* NULL: not opened */
};

/* Room in the address space for all bytes; nothing is mapped yet. 0 or a negative errno. */
int grown_map__open(struct grown_map *map, int fd, size_t bytes, int protection);
void grown_map__close(struct grown_map *map);

/*
 * How many of the first n elements of some bytes each can be accessed: all, unless there is no
 * memory. NULL is an array that is there as a whole: n.
 */
size_t grown_map__show(struct grown_map *map, size_t n, size_t element);

#endif
