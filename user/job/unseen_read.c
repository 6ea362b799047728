// SPDX-License-Identifier: GPL-2.0-only
/* What each job has called by now, of the functions that were parked. */
#include <errno.h>
#include <stdlib.h>

#include "job/unseen_state.h"

struct unseen_function *unseen__find_function(const struct unseen *unseen, const struct tm_key *key)
{
	for (size_t i = 0; i < unseen->n; i++)
		if (unseen->functions[i]->layer == key->layer &&
		    unseen->functions[i]->number == key->function)
			return unseen->functions[i];
	return NULL;
}

double unseen__lived_ns(const struct unseen_job *job, __u64 from_ns, __u64 to_ns)
{
	if (job->end_ns && job->end_ns < to_ns)
		to_ns = job->end_ns;
	if (from_ns < job->start_ns)
		from_ns = job->start_ns;
	return (double)less(to_ns, from_ns);
}

/* The job's element, a new one if there is none; NULL: no memory. */
static struct unseen_job *get_job(struct unseen *unseen, struct unseen_function *function, __u64 id)
{
	struct unseen_job *job = id_map__find(&function->jobs, id);

	if (!job) {
		job = calloc(1, sizeof(*job));
		if (!job || id_map__add(&function->jobs, id, job) < 0) {
			free(job);
			return NULL;
		}
		job->id = id;
		job->is_new = true;
	}
	if (job->stamp == unseen->stamp)
		return job;
	job->stamp = unseen->stamp;
	job->now = (struct unseen_tally){ 0 };
	job->out = NULL;
	unseen->source.life(unseen->source.context, id, &job->start_ns, &job->end_ns);
	if (job->start_ns < unseen->source.since_ns)
		job->start_ns = unseen->source.since_ns;
	return job;
}

static void add_calls(struct unseen_job *job, const struct tm_series *series)
{
	job->now.begun += load(&series->begun);
	job->now.untimed += load(&series->untimed);
	job->now.bytes += load(&series->bytes);
	job->now.total_ns += load(&series->total_ns);
}

static void use_out(struct unseen_job *job, struct tm_series *series)
{
	job->out = series;
	for (__u32 i = 0; !job->has_base && i < TM_UNSEENS; i++)
		job->base[i] = *series__unseen(series, i);
	job->has_base = true;
}

/*
 * What it did before the function was known here is no part of any slice. One that comes later may
 * have been there in the last gap.
 */
static void begin_job(const struct unseen_function *function, struct unseen_job *job)
{
	job->is_new = false;
	if (!function->was_read)
		job->begin = job->now;
	if (function->phase == PHASE_SLICE && function->gaps.n)
		job->before_ns = gap_times__last_ns(&function->gaps, job->start_ns,
						    job->end_ns ? job->end_ns : ~0ULL);
}

/* Is it one that the kernel side counts into? What is in the loader's own has been estimated. */
static bool is_counted_of(const struct tm_series *series, const struct unseen_function *only)
{
	return series__is_live(__atomic_load_n(&series->state, __ATOMIC_ACQUIRE)) &&
	       series->key.layer >= TM_LAYER_USER && series->key.shard != TM_SHARD_LOADER &&
	       (!only ||
		(series->key.layer == only->layer && series->key.function == only->number));
}

static int read_series(struct unseen *unseen, struct tm_series *series,
		       const struct unseen_function *only)
{
	struct unseen_function *function;
	struct unseen_job *job;

	if (!is_counted_of(series, only))
		return 0;
	function = unseen__find_function(unseen, &series->key);
	if (!function || (!key__is_call(&series->key) && !key__is_unseen(&series->key)))
		return 0;
	job = get_job(unseen, function, series->key.job);
	if (!job)
		return -ENOMEM;
	if (key__is_unseen(&series->key))
		use_out(job, series);
	else
		add_calls(job, series);
	return 0;
}

/* Jobs that have no series any more are forgotten. */
static void drop_gone(const struct unseen *unseen, struct unseen_function *function)
{
	bool again = true;

	/* To remove one moves others. */
	while (again) {
		again = false;
		for (size_t i = 0; i < function->jobs.room && !again; i++) {
			struct unseen_job *job = function->jobs.entries[i].value;

			if (!job || job->stamp == unseen->stamp)
				continue;
			id_map__remove(&function->jobs, job->id);
			free(job);
			again = true;
		}
	}
}

static void end_reading(const struct unseen *unseen, struct unseen_function *function)
{
	struct unseen_job *job;

	drop_gone(unseen, function);
	FOR_EACH_JOB(function, job)
	{
		if (job->is_new)
			begin_job(function, job);
	}
	function->was_read = true;
}

int unseen__read(struct unseen *unseen, const struct unseen_function *only)
{
	__u32 n = 0;
	struct tm_series *series = unseen->source.series(unseen->source.context, &n);

	unseen->stamp++;
	for (__u32 i = 0; i < n; i++)
		if (read_series(unseen, &series[i], only) < 0)
			return -ENOMEM;
	for (size_t i = 0; i < unseen->n; i++)
		if (!only || unseen->functions[i] == only)
			end_reading(unseen, unseen->functions[i]);
	return 0;
}
