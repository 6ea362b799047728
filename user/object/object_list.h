/* SPDX-License-Identifier: GPL-2.0-only */
/* Files and objects as they were at one time: copies, with their names. */
#ifndef USER_OBJECT_OBJECT_LIST_H
#define USER_OBJECT_OBJECT_LIST_H

#include "object/object_figures.h"

struct object_list;

struct object_list *object_list__new(void);	  /* NULL: no memory */
void object_list__free(struct object_list *list); /* NULL is fine */

void object_list__clear(struct object_list *list);

/* Adds a copy; place as in struct snapshot_object. name NULL: it has none. 0 or -ENOMEM. */
int object_list__add(struct object_list *list, const struct tm_object *total,
		     const struct tm_object_name *name, __u32 place);

/* Puts them in order: the one that took most time first. */
void object_list__sort(struct object_list *list);

/* What there is, valid until the list is changed. */
const struct snapshot_object *const *object_list__sorted(const struct object_list *list);
size_t object_list__count(const struct object_list *list);

#endif
