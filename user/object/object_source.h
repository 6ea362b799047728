/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a table of objects is read from: the maps, or arrays of a test. */
#ifndef USER_OBJECT_OBJECT_SOURCE_H
#define USER_OBJECT_OBJECT_SOURCE_H

#include "object/object_table.h"

struct object_source {
	struct tm_object *objects; /* slots of them */
	const struct tm_object_name *names;
	const __u32 *next_slot;
	__u32 slots;
	void (*close)(void *context); /* NULL: nothing to close */
	void *context;
};

/* 0 and *out, which closes the source when it is freed; or -ENOMEM, with the source left open. */
int object_table__new_from(struct object_table **out, const struct object_source *source);

#endif
