/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a table of objects is read from: the maps, or arrays of a test. */
#ifndef USER_OBJECT_OBJECT_SOURCE_H
#define USER_OBJECT_OBJECT_SOURCE_H

#include "object/object_table.h"

struct object_source {
	struct tm_object *objects; /* slots of them; written to where one is folded */
	const struct tm_object_name *names;
	const __u32 *next_slot;
	__u32 slots;
	/* Removes a key, and gives a slot to be used again: 0 or a negative errno. */
	int (*forget)(void *context, const struct tm_object_key *key);
	int (*give_back)(void *context, __u32 slot);
	void (*close)(void *context); /* NULL: nothing to close */
	void *context;
};

/* 0 and *out, which closes the source when it is freed; or -ENOMEM, with the source left open. */
int object_table__new_from(struct object_table **out, const struct object_source *source);

#endif
