// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "drain/key_order.h"
#include "recording/recorded_series.h"
#include "recording/recording_format.h"

/* The same in both where it has not changed; NULL before: it is new. */
struct recorded {
	struct snapshot_series *now, *before;
	bool moved; /* among those to be settled */
};

struct recorded_series {
	struct recorded *at; /* by number - 1; now NULL: not there */
	size_t n, room;
	size_t *moved; /* numbers - 1 */
	size_t n_moved, moved_room;
	size_t *order; /* of the snapshot */
	size_t n_order;
	bool unsorted;
	const struct snapshot_series **shown, **shown_before;
};

struct recorded_series *recorded_series__new(void)
{
	return calloc(1, sizeof(struct recorded_series));
}

void recorded_series__clear(struct recorded_series *all)
{
	for (size_t i = 0; i < all->n; i++) {
		if (all->at[i].before != all->at[i].now)
			free(all->at[i].before);
		free(all->at[i].now);
	}
	all->n = all->n_moved = all->n_order = 0;
	all->unsorted = true;
}

void recorded_series__free(struct recorded_series *all)
{
	if (!all)
		return;
	recorded_series__clear(all);
	free(all->at);
	free(all->moved);
	free(all->order);
	free((void *)all->shown);
	free((void *)all->shown_before);
	free(all);
}

/* Makes room for number - 1. */
static int reach(struct recorded_series *all, __u64 number)
{
	while (all->n < number) {
		if (array__grow((void **)&all->at, &all->room, all->n, sizeof(*all->at)) < 0)
			return -ENOMEM;
		all->at[all->n++] = (struct recorded){ 0 };
	}
	return 0;
}

static int add_moved(struct recorded_series *all, size_t i)
{
	if (all->at[i].moved)
		return 0;
	if (array__grow((void **)&all->moved, &all->moved_room, all->n_moved, sizeof(size_t)) < 0)
		return -ENOMEM;
	all->moved[all->n_moved++] = i;
	all->at[i].moved = true;
	return 0;
}

static bool same_counters(const struct snapshot_series *a, const struct snapshot_series *b)
{
	return memcmp(&a->total, &b->total, sizeof(a->total)) == 0;
}

int recorded_series__take(struct recorded_series *all, __u64 number, struct snapshot_series *series,
			  __u64 flags, bool copy)
{
	struct recorded *recorded;
	int ret = number && number <= RECORDING_SERIES_MAX ? reach(all, number) : -EBADMSG;

	if (!ret)
		ret = add_moved(all, number - 1);
	if (ret < 0) {
		free(series);
		return ret;
	}
	recorded = &all->at[number - 1];
	if (recorded->now && copy && same_counters(recorded->now, series)) {
		free(series);
		return 0;
	}
	all->unsorted |= !recorded->now || key_order(&recorded->now->total.key, &series->total.key);
	if (!recorded->now)
		recorded->before = copy || !(flags & RECORDING_SERIES_NEW) ? series : NULL;
	else if (recorded->now != recorded->before)
		free(recorded->now);
	recorded->now = series;
	return 0;
}

void recorded_series__forget(struct recorded_series *all, __u64 number)
{
	struct recorded *recorded;

	if (!number || number > all->n)
		return;
	recorded = &all->at[number - 1];
	if (recorded->before != recorded->now)
		free(recorded->before);
	free(recorded->now);
	recorded->now = recorded->before = NULL;
	all->unsorted = true;
}

void recorded_series__settle(struct recorded_series *all)
{
	for (size_t i = 0; i < all->n_moved; i++) {
		struct recorded *recorded = &all->at[all->moved[i]];

		if (recorded->before != recorded->now)
			free(recorded->before);
		recorded->before = recorded->now;
		recorded->moved = false;
	}
	all->n_moved = 0;
}

static int compare_by_key(const void *left, const void *right, void *context)
{
	const struct recorded *at = context;
	size_t a = *(const size_t *)left, b = *(const size_t *)right;

	return key_order(&at[a].now->total.key, &at[b].now->total.key);
}

/* A place for each in what is shown. */
static int allocate(struct recorded_series *all)
{
	size_t n = all->n + 1;
	size_t *order = reallocarray(all->order, n, sizeof(*order));
	const struct snapshot_series **shown, **before;

	if (order)
		all->order = order;
	shown = reallocarray((void *)all->shown, n, sizeof(*shown));
	if (shown)
		all->shown = shown;
	before = reallocarray((void *)all->shown_before, n, sizeof(*before));
	if (before)
		all->shown_before = before;
	return order && shown && before ? 0 : -ENOMEM;
}

static int sort(struct recorded_series *all)
{
	if (!all->unsorted)
		return 0;
	if (allocate(all) < 0)
		return -ENOMEM;
	all->n_order = 0;
	for (size_t i = 0; i < all->n; i++) {
		if (all->at[i].now)
			all->order[all->n_order++] = i;
	}
	qsort_r(all->order, all->n_order, sizeof(*all->order), compare_by_key, all->at);
	all->unsorted = false;
	return 0;
}

int recorded_series__show(struct recorded_series *all, struct snapshot *snapshot, bool total)
{
	if (allocate(all) < 0 || sort(all) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < all->n_order; i++) {
		const struct recorded *recorded = &all->at[all->order[i]];

		all->shown[i] = recorded->now;
		all->shown_before[i] = total ? NULL : recorded->before;
	}
	snapshot->series = all->shown;
	snapshot->before = all->shown_before;
	snapshot->n_series = all->n_order;
	return 0;
}
