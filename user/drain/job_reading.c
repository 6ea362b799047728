// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading single jobs: nothing is looked at but their own series, and slots that were in no use. It
 * leaves no trace in what the drain's reads compare: their intervals go on.
 */
#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "drain/drain_state.h"
#include "drain/job_index.h"
#include "tmtrace/config.h"

/* A series, and where it is in the snapshot. */
struct job_reading {
	struct job_index *index;
	const __u64 *recycled; /* NULL: slots may change their keys any time */
	__u64 recycled_at;     /* what it was at the last scan of all slots; 0: there was none */
	struct known **known;  /* those that are read */
	size_t n_known, room;
	struct snapshot_series **made; /* those of them that have moved; of this reading */
	size_t n_made, made_room;
	struct snapshot snapshot;
	size_t snapshot_room;
};

static void free_made(struct job_reading *reading)
{
	while (reading->n_made)
		free(reading->made[--reading->n_made]);
}

void job_reading__clear(struct job_reading *reading)
{
	if (reading)
		free_made(reading);
}

void job_reading__free(struct job_reading *reading)
{
	if (!reading)
		return;
	free_made(reading);
	job_index__free(reading->index);
	free((void *)reading->known);
	free((void *)reading->made);
	free((void *)reading->snapshot.series);
	free((void *)reading->snapshot.before);
	free(reading);
}

int job_reading__add(struct drain *drain, struct known *known)
{
	return drain->by_job ? job_index__add(drain->by_job->index, known) : 0;
}

void job_reading__remove(struct drain *drain, const struct known *known)
{
	if (drain->by_job)
		job_index__remove(drain->by_job->index, known);
}

struct indexing {
	struct drain *drain;
	int ret;
};

static void add_known(const void *node, VISIT visit, void *context)
{
	struct indexing *indexing = context;

	if ((visit == postorder || visit == leaf) && !indexing->ret)
		indexing->ret = job_reading__add(indexing->drain, *(struct known *const *)node);
}

int drain__index_jobs(struct drain *drain, const __u64 *recycled)
{
	struct indexing indexing = { drain, 0 };
	struct job_reading *reading = calloc(1, sizeof(*reading));

	if (!reading)
		return -ENOMEM;
	reading->recycled = recycled;
	reading->index = job_index__new();
	job_reading__free(drain->by_job);
	drain->by_job = reading;
	if (!reading->index)
		indexing.ret = -ENOMEM;
	else
		twalk_r(drain->tree, add_known, &indexing);
	if (indexing.ret) {
		job_reading__free(reading);
		drain->by_job = NULL;
	}
	return indexing.ret;
}

/* All keys that slots have are known then. What has moved has moved at the next read of all. */
static int catch_up(struct drain *drain)
{
	struct job_reading *reading = drain->by_job;
	__u64 recycled = reading->recycled ? *reading->recycled + 1 : 0;
	int ret;

	drain->reads++;
	if (recycled && recycled == reading->recycled_at)
		ret = scan__unused(drain);
	else
		ret = scan__all(drain);
	drain->reads--;
	if (!ret)
		reading->recycled_at = recycled;
	return ret;
}

static int choose_jobs(struct job_reading *reading, const struct drain_choice *choice)
{
	struct job_series *job;

	reading->n_known = 0;
	for (size_t i = 0; (job = job_index__at(reading->index, i)); i++) {
		if (!choice->chosen(choice->context, job->job, &job->note))
			continue;
		job_series__sort(job);
		for (size_t k = 0; k < job->n; k++) {
			if (!job->known[k]->n_slots)
				continue;
			if (array__grow((void **)&reading->known, &reading->room, reading->n_known,
					sizeof(struct known *)) < 0)
				return -ENOMEM;
			reading->known[reading->n_known++] = job->known[k];
		}
	}
	return 0;
}

static bool has_moved(const struct drain *drain, const struct known *known)
{
	return known->active || !known->now || !scan__is_at_rest(drain, known);
}

/* What has moved is put together beside what the drain has of it. */
static int read_one(struct drain *drain, const struct known *known)
{
	struct job_reading *reading = drain->by_job;
	struct snapshot *out = &reading->snapshot;
	const struct snapshot_series *series = known->now;
	struct merge merge;
	int ret = 0;

	if (has_moved(drain, known)) {
		ret = array__grow((void **)&reading->made, &reading->made_room, reading->n_made,
				  sizeof(struct snapshot_series *));
		if (!ret)
			ret = drain__merge(drain, known, &merge);
		if (ret)
			return ret;
		reading->made[reading->n_made] = merge__finish(&merge);
		series = reading->made[reading->n_made];
		if (!series)
			return -ENOMEM;
		reading->n_made++;
	}
	out->series[out->n_series] = series;
	out->before[out->n_series++] = known->now;
	return 0;
}

static int make_room(struct job_reading *reading)
{
	size_t bytes = (reading->n_known + 1) * sizeof(void *);
	struct snapshot *out = &reading->snapshot;
	const struct snapshot_series **series, **before;

	if (reading->n_known < reading->snapshot_room)
		return 0;
	series = realloc((void *)out->series, bytes);
	if (series)
		out->series = series;
	before = realloc((void *)out->before, bytes);
	if (before)
		out->before = before;
	if (!series || !before)
		return -ENOMEM;
	reading->snapshot_room = reading->n_known + 1;
	return 0;
}

static int read_chosen(struct drain *drain)
{
	struct job_reading *reading = drain->by_job;
	int ret = make_room(reading);

	if (!ret)
		ret = drain__find_oldest(drain, reading->known, reading->n_known);
	for (size_t i = 0; i < reading->n_known && !ret; i++)
		ret = read_one(drain, reading->known[i]);
	if (!ret)
		ret = drain__read_objects(drain, &reading->snapshot);
	return ret;
}

int drain__read_jobs(struct drain *drain, const struct drain_choice *choice,
		     const struct snapshot **out, struct error *err)
{
	__u64 time_ns = clock__ns(CLOCK_REALTIME), monotonic_ns = clock__ns(CLOCK_MONOTONIC);
	struct job_reading *reading = drain->by_job;
	int ret = catch_up(drain);

	free_made(reading);
	reading->snapshot.n_series = 0;
	if (!ret)
		ret = choose_jobs(reading, choice);
	if (!ret)
		ret = read_chosen(drain);
	if (ret)
		return error__set(err, ret, "reading the counters: %s", strerror(-ret));
	if (choice->probes)
		drain__read_ledgers(drain, choice->probes);
	reading->snapshot.ledgers = drain->snapshot.ledgers;
	reading->snapshot.n_ledgers = drain__count_probes(drain);
	reading->snapshot.call_ledgers = drain->snapshot.call_ledgers;
	reading->snapshot.before_ns = drain->snapshot.time_ns;
	reading->snapshot.time_ns = time_ns;
	reading->snapshot.monotonic_ns = monotonic_ns;
	*out = &reading->snapshot;
	return 0;
}
