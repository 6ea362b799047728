// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "recording/recorded_timelines.h"
#include "recording/recording_format.h"
#include "recording/timeline_code.h"

struct recorded_timelines {
	struct timeline **all; /* by job and layer once they are shown */
	size_t n, room;
};

struct recorded_timelines *recorded_timelines__new(void)
{
	return calloc(1, sizeof(struct recorded_timelines));
}

void recorded_timelines__clear(struct recorded_timelines *all)
{
	for (size_t i = 0; i < all->n; i++)
		timeline__free(all->all[i]);
	all->n = 0;
}

void recorded_timelines__free(struct recorded_timelines *all)
{
	if (!all)
		return;
	recorded_timelines__clear(all);
	free(all->all);
	free(all);
}

static size_t place_of(const struct recorded_timelines *all, __u64 number)
{
	size_t i = 0;

	while (i < all->n && timeline__about(all->all[i]).number != number)
		i++;
	return i;
}

int recorded_timelines__take(struct recorded_timelines *all, __u64 number, struct unpack *unpack)
{
	size_t place = place_of(all, number);
	struct timeline *timeline;
	int ret;

	if (place == all->n) {
		if (all->n == RECORDING_TIMELINES_MAX)
			return -EBADMSG;
		if (array__grow((void **)&all->all, &all->room, all->n, sizeof(*all->all)) < 0)
			return -ENOMEM;
	}
	ret = timeline_code__unpack(&timeline, number, unpack);
	if (ret < 0)
		return ret;
	if (place == all->n)
		all->n++;
	else
		timeline__free(all->all[place]);
	all->all[place] = timeline;
	return 0;
}

void recorded_timelines__forget(struct recorded_timelines *all, __u64 number)
{
	size_t place = place_of(all, number);

	if (place == all->n)
		return;
	timeline__free(all->all[place]);
	all->all[place] = all->all[--all->n];
}

static int compare_timelines(const void *left, const void *right)
{
	struct timeline_about a = timeline__about(*(struct timeline *const *)left);
	struct timeline_about b = timeline__about(*(struct timeline *const *)right);

	if (a.job != b.job)
		return a.job < b.job ? -1 : 1;
	if (a.layer != b.layer)
		return a.layer < b.layer ? -1 : 1;
	return a.number < b.number ? -1 : a.number > b.number;
}

void recorded_timelines__show(struct recorded_timelines *all, struct snapshot *snapshot)
{
	if (all->n)
		qsort(all->all, all->n, sizeof(*all->all), compare_timelines);
	snapshot->n_timelines = all->n;
	snapshot->timelines = all->all;
}
