/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Room for one more element at the end of a growing array:
 *
 *	struct item *items; size_t n, room;
 *	if (array__grow((void **)&items, &room, n, sizeof(*items)) < 0)
 *		return -ENOMEM;
 *	items[n++] = ...;
 */
#ifndef USER_BASE_ARRAY_H
#define USER_BASE_ARRAY_H

#include <errno.h>
#include <stdlib.h>

/* Makes room for element n of size bytes; new room is not cleared. 0 or -ENOMEM. */
static inline int array__grow(void **items, size_t *room, size_t n, size_t size)
{
	size_t more = *room ? *room * 2 : 16;
	void *grown;

	if (n < *room)
		return 0;
	grown = reallocarray(*items, more, size);
	if (!grown)
		return -ENOMEM;
	*items = grown;
	*room = more;
	return 0;
}

#endif
