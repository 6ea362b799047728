// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "drain/formulas.h"
#include "drain/merge.h"
#include "timeline/timelines.h"

struct timelines {
	size_t limit;		/* bytes */
	unsigned int doublings; /* that each begins with */
	struct timeline **all;	/* by job and layer */
	__u64 *moved;		/* number of the reading in which each moved last */
	size_t n, room, moved_room;
	__u64 readings, made, gone;
};

/* What came of one job and layer; its histogram's counts. */
struct sum {
	struct timeline_bin bin;
	__u64 count[TM_BUCKETS];
};

struct timelines *timelines__new(size_t bytes, unsigned int doublings)
{
	struct timelines *timelines = calloc(1, sizeof(*timelines));

	if (!timelines)
		return NULL;
	timelines->limit = bytes;
	timelines->doublings = doublings;
	return timelines;
}

void timelines__free(struct timelines *timelines)
{
	if (!timelines)
		return;
	for (size_t i = 0; i < timelines->n; i++)
		timeline__free(timelines->all[i]);
	free(timelines->all);
	free(timelines->moved);
	free(timelines);
}

static int compare_timeline(const struct timeline *timeline, __u64 job, __u8 layer)
{
	struct timeline_about about = timeline__about(timeline);

	if (about.job != job)
		return about.job < job ? -1 : 1;
	return (int)about.layer - layer;
}

/* Where it is, or would be. */
static size_t place_of(const struct timelines *timelines, __u64 job, __u8 layer)
{
	return SEARCH_FIRST(timelines->n, i, compare_timeline(timelines->all[i], job, layer) < 0);
}

/* The timeline at a place, made where it is another one's; NULL without memory. */
static struct timeline *at(struct timelines *timelines, size_t place, __u64 job, __u8 layer)
{
	struct timeline_about about;
	struct timeline *timeline;
	size_t behind = timelines->n - place;

	if (behind && !compare_timeline(timelines->all[place], job, layer))
		return timelines->all[place];
	about = (struct timeline_about){
		.job = job,
		.layer = layer,
		.doublings = timelines->doublings,
		.number = ++timelines->made,
	};
	timeline = timeline__new(&about);
	if (!timeline ||
	    array__grow((void **)&timelines->all, &timelines->room, timelines->n,
			sizeof(*timelines->all)) < 0 ||
	    array__grow((void **)&timelines->moved, &timelines->moved_room, timelines->n,
			sizeof(*timelines->moved)) < 0) {
		timeline__free(timeline);
		return NULL;
	}
	memmove(&timelines->all[place + 1], &timelines->all[place],
		behind * sizeof(*timelines->all));
	memmove(&timelines->moved[place + 1], &timelines->moved[place],
		behind * sizeof(*timelines->moved));
	timelines->all[place] = timeline;
	timelines->n++;
	return timeline;
}

static void drop(struct timelines *timelines, size_t place)
{
	size_t behind = --timelines->n - place;

	timeline__free(timelines->all[place]);
	memmove(&timelines->all[place], &timelines->all[place + 1],
		behind * sizeof(*timelines->all));
	memmove(&timelines->moved[place], &timelines->moved[place + 1],
		behind * sizeof(*timelines->moved));
}

/* Adds what came of a series since the read before. */
static void sum_up(struct sum *sum, const struct snapshot_series *now,
		   const struct snapshot_series *before)
{
	sum->bin.count += now->total.count;
	sum->bin.errors += now->total.errors;
	sum->bin.bytes += now->total.bytes;
	sum->bin.time_ns += series__own_ns(&now->total);
	latency__since(sum->count, now, before);
	if (!before)
		return;
	sum->bin.count -= before->total.count;
	sum->bin.errors -= before->total.errors;
	sum->bin.bytes -= before->total.bytes;
	sum->bin.time_ns -= series__own_ns(&before->total);
}

static int add_amount(struct timelines *timelines, const struct tm_key *key,
		      const struct timeline_bin *amount, __u64 time_ns)
{
	size_t place = place_of(timelines, key->job, key->layer);
	struct timeline *timeline = at(timelines, place, key->job, key->layer);

	if (!timeline)
		return -ENOMEM;
	timelines->moved[place] = timelines->readings;
	if (!timeline__add(timeline, time_ns, amount))
		return 0;
	drop(timelines, place);
	return -ENOMEM;
}

/* Series first to end - 1, which are of one job and layer. */
static int take_layer(struct timelines *timelines, const struct snapshot *snapshot, size_t first,
		      size_t end, __u64 time_ns)
{
	struct sum sum = { 0 };

	for (size_t i = first; i < end; i++) {
		const struct snapshot_series *now = snapshot->series[i];

		if (now != snapshot->before[i] && !key__is_beside(&now->total.key))
			sum_up(&sum, now, snapshot->before[i]);
	}
	sum.bin.latency = histogram__of(sum.count);
	if (!sum.bin.count && !sum.bin.errors && !sum.bin.bytes && !sum.bin.time_ns &&
	    !sum.bin.latency.n)
		return 0;
	return add_amount(timelines, &snapshot->series[first]->total.key, &sum.bin, time_ns);
}

/* Is a better without than b? It has been at rest for longer; of those that move, it is younger. */
static bool is_less_needed(const struct timelines *timelines, size_t a, size_t b)
{
	if (timelines->moved[a] != timelines->moved[b])
		return timelines->moved[a] < timelines->moved[b];
	return timeline__about(timelines->all[a]).number >
	       timeline__about(timelines->all[b]).number;
}

static void keep_limit(struct timelines *timelines)
{
	size_t bytes = 0;

	for (size_t i = 0; i < timelines->n; i++)
		bytes += timeline__size(timelines->all[i]);
	while (bytes > timelines->limit && timelines->n > 1) {
		size_t least = 0;

		for (size_t i = 1; i < timelines->n; i++)
			if (is_less_needed(timelines, i, least))
				least = i;
		bytes -= timeline__size(timelines->all[least]);
		drop(timelines, least);
		timelines->gone++;
	}
}

static bool same_layer(const struct snapshot *snapshot, size_t i, size_t j)
{
	const struct tm_key *a = &snapshot->series[i]->total.key;
	const struct tm_key *b = &snapshot->series[j]->total.key;

	return a->job == b->job && a->layer == b->layer;
}

int timelines__take(struct timelines *timelines, const struct snapshot *snapshot, __u64 start_ns)
{
	__u64 from_ns = snapshot->before_ns ? snapshot->before_ns : start_ns;
	__u64 time_ns = snapshot->time_ns;
	size_t first, end;
	int ret = 0;

	/* Of a clock that was set back, the time is the new one. */
	if (from_ns < time_ns)
		time_ns -= (time_ns - from_ns) / 2;
	timelines->readings++;
	for (first = 0; first < snapshot->n_series && !ret; first = end) {
		for (end = first + 1; end < snapshot->n_series; end++)
			if (!same_layer(snapshot, first, end))
				break;
		if (snapshot->series[first]->total.key.job != TM_JOB_OTHERS)
			ret = take_layer(timelines, snapshot, first, end, time_ns);
	}
	keep_limit(timelines);
	return ret;
}

int timelines__merge(struct timelines *timelines, __u64 job, __u8 layer,
		     const struct timeline *from)
{
	size_t place = place_of(timelines, job, layer);
	struct timeline *timeline = at(timelines, place, job, layer);

	if (!timeline)
		return -ENOMEM;
	timelines->moved[place] = timelines->readings;
	return timeline__merge(timeline, from);
}

void timelines__show(const struct timelines *timelines, struct snapshot *snapshot)
{
	snapshot->n_timelines = timelines->n;
	snapshot->timelines = timelines->all;
}

__u64 timelines__gone(const struct timelines *timelines)
{
	return timelines->gone;
}
