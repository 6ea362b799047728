// SPDX-License-Identifier: GPL-2.0-only
/*
 * Folding a record: its key is removed, so that a further operation makes a new one, and its serial
 * goes up, so that no thread goes on using the slot by memory. What a program that has just looked
 * still counts is seen: only a record that does not move any more is added to those that are
 * folded, and its slot given back. Nothing is ever counted twice, or not at all.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "object/object_source.h"

/* What the last tending saw of a slot. */
struct watched {
	__u64 count, total_ns;
	bool is_known;
	bool is_resting; /* it had not moved */
	bool is_leaving; /* its key is removed */
};

/* All that were folded of a job and layer. */
struct folded {
	struct tm_object total;
	bool is_listed;
};

struct object_table {
	struct object_source source;
	struct watched *watched; /* per slot */
	__u32 *resting;		 /* slots that may be folded, room for all */
	struct folded *folded;
	size_t n_folded, folded_room;
};

int object_table__new_from(struct object_table **out, const struct object_source *source)
{
	struct object_table *table = calloc(1, sizeof(*table));

	if (!table)
		return -ENOMEM;
	table->watched = calloc(source->slots, sizeof(*table->watched));
	table->resting = calloc(source->slots, sizeof(*table->resting));
	if (!table->watched || !table->resting) {
		object_table__free(table);
		return -ENOMEM;
	}
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
	free(table->watched);
	free(table->resting);
	free(table->folded);
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

static bool is_live(const struct tm_object *object)
{
	return __atomic_load_n(&object->state, __ATOMIC_ACQUIRE) == TM_OBJECT_LIVE;
}

/* The record of what is folded with this one, new where there is none; NULL without memory. */
static struct folded *folded_with(struct object_table *table, const struct tm_object_key *key)
{
	struct folded *folded;

	for (size_t i = 0; i < table->n_folded; i++) {
		folded = &table->folded[i];
		if (folded->total.key.job == key->job && folded->total.key.layer == key->layer)
			return folded;
	}
	if (array__grow((void **)&table->folded, &table->folded_room, table->n_folded,
			sizeof(*table->folded)) < 0)
		return NULL;
	folded = &table->folded[table->n_folded++];
	*folded = (struct folded){
		.total = { .key = { .job = key->job,
				    .layer = key->layer,
				    .what = TM_OBJECT_OTHERS },
			   .state = TM_OBJECT_LIVE },
	};
	return folded;
}

/* From now on nobody looks here for the key, nor by memory. */
static void retire(struct object_table *table, __u32 slot)
{
	struct tm_object *object = &table->source.objects[slot];
	const struct tm_object_key key = object->key;

	if (table->source.forget(table->source.context, &key) < 0)
		return;
	__atomic_add_fetch(&object->serial, 1, __ATOMIC_RELEASE);
	table->watched[slot].is_leaving = true;
}

/* It does not move any more: its figures are kept here, its slot is free. */
static int fold(struct object_table *table, __u32 slot)
{
	struct tm_object *object = &table->source.objects[slot];
	struct folded *folded = folded_with(table, &object->key);
	__u32 serial = object->serial + 1;

	if (!folded)
		return -ENOMEM;
	object__add(&folded->total, object);
	memset(object, 0, sizeof(*object));
	object->serial = serial;
	table->watched[slot] = (struct watched){ 0 };
	return table->source.give_back(table->source.context, slot);
}

/* Has it been as it is since the last time? */
static bool has_rested(struct watched *watched, const struct tm_object *object)
{
	__u64 count = object__count(object), total_ns = object__total_ns(object);

	watched->is_resting =
		watched->is_known && watched->count == count && watched->total_ns == total_ns;
	watched->is_known = true;
	watched->count = count;
	watched->total_ns = total_ns;
	return watched->is_resting;
}

static int tend_slot(struct object_table *table, __u32 slot)
{
	struct tm_object *object = &table->source.objects[slot];
	struct watched *watched = &table->watched[slot];

	if (has_rested(watched, object))
		return watched->is_leaving ? fold(table, slot) : 0;
	/* Somebody had found it just before. */
	if (watched->is_leaving)
		__atomic_add_fetch(&object->serial, 1, __ATOMIC_RELEASE);
	return 0;
}

static int compare_busy(const void *left, const void *right, void *context)
{
	const struct watched *watched = context;
	__u64 a = watched[*(const __u32 *)left].total_ns;
	__u64 b = watched[*(const __u32 *)right].total_ns;

	return a < b ? -1 : a > b;
}

/* Retires those that took least time, of n that rest, until so many are left of used ones. */
static void retire_least(struct object_table *table, size_t n, size_t used, size_t left)
{
	qsort_r(table->resting, n, sizeof(*table->resting), compare_busy, table->watched);
	for (size_t i = 0; i < n && used > left; i++, used--)
		retire(table, table->resting[i]);
}

static bool may_be_folded(const struct tm_object *object)
{
	return object->key.what != TM_OBJECT_OTHERS && object->key.what != TM_OBJECT_PATHS;
}

int object_table__tend(struct object_table *table)
{
	__u32 end = used_slots(&table->source);
	size_t room = table->source.slots - TM_OBJECT_NOBODY - TM_OBJECT_RESERVED;
	size_t used = 0, resting = 0;
	int ret = 0;

	for (__u32 slot = TM_OBJECT_NOBODY; slot < end && !ret; slot++) {
		const struct tm_object *object = &table->source.objects[slot];

		if (!is_live(object) || !may_be_folded(object))
			continue;
		ret = tend_slot(table, slot);
		if (table->watched[slot].is_leaving || !is_live(object))
			continue;
		used++;
		if (table->watched[slot].is_resting)
			table->resting[resting++] = slot;
	}
	if (!ret && used > room / 4 * 3)
		retire_least(table, resting, used, room / 2);
	return ret;
}

/* What is folded counts with those that the kernel had no room for. */
static int list_slot(struct object_table *table, const struct job_map *jobs,
		     struct object_list *list, __u32 slot)
{
	struct tm_object total = table->source.objects[slot];
	struct folded *folded;

	if (total.key.what == TM_OBJECT_OTHERS && total.key.job) {
		folded = folded_with(table, &total.key);
		if (!folded)
			return -ENOMEM;
		object__add(&total, &folded->total);
		folded->is_listed = true;
	}
	total.key.job = job_map__of(jobs, total.key.job);
	return object_list__add(list, &total, &table->source.names[slot], slot + 1);
}

/* One of which the kernel has nothing any more. */
static int list_folded(struct object_table *table, const struct job_map *jobs,
		       struct object_list *list, size_t i)
{
	struct tm_object total = table->folded[i].total;

	if (table->folded[i].is_listed)
		return 0;
	total.key.job = job_map__of(jobs, total.key.job);
	return object_list__add(list, &total, NULL, table->source.slots + 1 + (__u32)i);
}

int object_table__read(struct object_table *table, const struct job_map *jobs,
		       struct object_list *list)
{
	__u32 end = used_slots(&table->source);
	int ret = 0;

	object_list__clear(list);
	for (size_t i = 0; i < table->n_folded; i++)
		table->folded[i].is_listed = false;
	for (__u32 slot = 0; slot < end && !ret; slot++) {
		if (is_live(&table->source.objects[slot]))
			ret = list_slot(table, jobs, list, slot);
	}
	for (size_t i = 0; i < table->n_folded && !ret; i++)
		ret = list_folded(table, jobs, list, i);
	object_list__sort(list);
	return ret;
}
