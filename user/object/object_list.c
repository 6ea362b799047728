// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "object/object_list.h"
#include "object/object_name.h"

/* An object and the room for its name. */
struct kept {
	struct snapshot_object object; /* first: what is shown */
	char name[OBJECT_NAME_ROOM];
};

/* n of them are shown; all that were ever made are kept. */
struct object_list {
	struct snapshot_object **objects;
	size_t n, made, room;
};

struct object_list *object_list__new(void)
{
	return calloc(1, sizeof(struct object_list));
}

void object_list__free(struct object_list *list)
{
	if (!list)
		return;
	for (size_t i = 0; i < list->made; i++)
		free(list->objects[i]);
	free((void *)list->objects);
	free(list);
}

void object_list__clear(struct object_list *list)
{
	list->n = 0;
}

/* The next one, made where there is none left from before; NULL without memory. */
static struct kept *next(struct object_list *list)
{
	size_t align = __alignof__(struct kept);
	struct kept *kept;

	if (list->n < list->made)
		return (struct kept *)list->objects[list->n++];
	if (array__grow((void **)&list->objects, &list->room, list->made,
			sizeof(struct snapshot_object *)) < 0)
		return NULL;
	kept = aligned_alloc(align, (sizeof(*kept) + align - 1) / align * align);
	if (!kept)
		return NULL;
	list->objects[list->made++] = &kept->object;
	list->n++;
	return kept;
}

int object_list__add(struct object_list *list, const struct tm_object *total,
		     const struct tm_object_name *name, __u32 place)
{
	struct kept *kept = next(list);

	if (!kept)
		return -ENOMEM;
	kept->object.total = *total;
	kept->object.place = place;
	kept->object.processes = 0;
	kept->object.name = NULL;
	if (name && object_name__text(total, name, kept->name))
		kept->object.name = kept->name;
	return 0;
}

void object_list__sort(struct object_list *list)
{
	snapshot_object__sort(list->objects, list->n);
}

const struct snapshot_object *const *object_list__sorted(const struct object_list *list)
{
	return (const struct snapshot_object *const *)list->objects;
}

size_t object_list__count(const struct object_list *list)
{
	return list->n;
}
