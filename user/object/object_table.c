// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "object/object_source.h"

struct object_table {
	struct object_source source;
};

int object_table__new_from(struct object_table **out, const struct object_source *source)
{
	struct object_table *table = calloc(1, sizeof(*table));

	if (!table)
		return -ENOMEM;
	table->source = *source;
	*out = table;
	return 0;
}

void object_table__free(struct object_table *table)
{
	if (!table)
		return;
	if (table->source.close)
		table->source.close(table->source.context);
	free(table);
}

/* Slots from here on were never used. */
static __u32 used_slots(const struct object_source *source)
{
	__u32 next = __atomic_load_n(source->next_slot, __ATOMIC_RELAXED);

	if (next > source->slots - TM_OBJECT_NOBODY)
		return source->slots;
	return TM_OBJECT_NOBODY + next;
}

int object_table__read(struct object_table *table, struct object_list *list)
{
	const struct object_source *source = &table->source;
	__u32 end = used_slots(source);
	int rc = 0;

	object_list__clear(list);
	for (__u32 slot = 0; slot < end && !rc; slot++) {
		const struct tm_object *object = &source->objects[slot];

		if (__atomic_load_n(&object->state, __ATOMIC_ACQUIRE) == TM_OBJECT_LIVE)
			rc = object_list__add(list, object, &source->names[slot], slot + 1);
	}
	object_list__sort(list);
	return rc;
}
