// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"
#include "job/unseen_state.h"

/* What was let back and is still there after so long has come to stay (governor/trials.c). */
#define SLICE_MAX_NS (1100 * NS_PER_MS)
/* Where nothing is parked, the span of jobs' lives alone grows: written no more often. */
#define QUIET_NS (10 * NS_PER_S)

struct unseen *unseen__new(const struct unseen_source *source)
{
	struct unseen *unseen = calloc(1, sizeof(*unseen));

	if (!unseen)
		return NULL;
	unseen->source = *source;
	unseen->offset_ns = clock__ns(CLOCK_REALTIME) - clock__ns(CLOCK_MONOTONIC);
	return unseen;
}

__u64 unseen__now_ns(const struct unseen *unseen)
{
	return unseen ? clock__ns(CLOCK_MONOTONIC) + unseen->offset_ns : 0;
}

void unseen__free(struct unseen *unseen)
{
	if (!unseen)
		return;
	for (size_t i = 0; i < unseen->n; i++) {
		id_map__clear(&unseen->functions[i]->jobs, free);
		free(unseen->functions[i]);
	}
	free((void *)unseen->functions);
	free(unseen->parked);
	free(unseen);
}

static struct unseen_function *make_function(struct unseen *unseen, const struct tm_key *key)
{
	struct unseen_function *function = unseen__find_function(unseen, key);

	if (function)
		return function;
	function = calloc(1, sizeof(*function));
	if (!function || array__grow((void **)&unseen->functions, &unseen->room, unseen->n,
				     sizeof(struct unseen_function *)) < 0) {
		free(function);
		return NULL;
	}
	function->layer = key->layer;
	function->number = key->function;
	function->phase = PHASE_STAYS;
	unseen->functions[unseen->n++] = function;
	return function;
}

/* If all calls were of one thread; no thread had to give more than the one that gave most. */
static double slowed_by(const struct unseen_cost *cost, double ns, double calls)
{
	double share = ns > 0 ? calls * cost->hit_ns / ns : 0;

	return share < cost->thread_share ? share : cost->thread_share;
}

/*
 * The last slice, which is over (ns, calls), with what its calls took: also those that came to
 * their end after it.
 */
static struct gap_slice slice_of(const struct unseen_function *function, struct unseen_job *job,
				 double ns, double calls)
{
	const struct unseen_tally *now = &job->now, *begin = &job->begin;
	__u64 begun = less(now->begun, begin->begun);
	__u64 timed = less(begun, less(now->untimed, begin->untimed));
	double bytes = (double)less(now->bytes, begin->bytes);

	if (timed)
		job->time_per_call = (double)less(now->total_ns, begin->total_ns) / (double)timed;
	return (struct gap_slice){
		.before_ns = job->before_ns,
		.ns = ns,
		.amount = { [GAP_COUNT] = calls,
			    [GAP_BYTES] = begun ? bytes * calls / (double)begun : 0,
			    [GAP_TIME] = calls * job->time_per_call },
		.slowed = slowed_by(&function->cost, ns, calls),
	};
}

static double calls_since(const struct unseen_job *job)
{
	return (double)less(job->now.begun, job->begin.begun);
}

static void end_slice(const struct unseen_function *function, struct unseen_job *job, __u64 now_ns)
{
	job->slice_ns = unseen__lived_ns(job, function->since_ns, now_ns);
	job->calls = calls_since(job);
}

static int begin_gap(struct unseen *unseen, struct unseen_function *function, __u64 now_ns)
{
	int ret = unseen__read(unseen, function);
	struct unseen_job *job;

	FOR_EACH_JOB(function, job)
	{
		job->slice_ns = job->calls = 0;
		if (function->phase == PHASE_SLICE)
			end_slice(function, job, now_ns);
		else
			job->begin = job->now;
	}
	/* One that stayed is told in slices by now. */
	if (function->phase == PHASE_STAYS)
		FOR_EACH_JOB(function, job) job->before_ns = 0;
	function->phase = PHASE_GAP;
	function->since_ns = now_ns;
	return ret;
}

/* The slice before the gap is known in full now; so is the gap before that. */
static void settle(const struct unseen_function *function, struct unseen_job *job)
{
	struct gap_slice slice = slice_of(function, job, job->slice_ns, job->calls);

	if (job->before_ns > 0 || job->slice_ns > 0)
		gap_estimate__add(&job->estimate, &slice);
}

static int end_gap(struct unseen *unseen, struct unseen_function *function, __u64 now_ns)
{
	int ret = unseen__read(unseen, function);
	struct unseen_job *job;

	FOR_EACH_JOB(function, job)
	{
		settle(function, job);
		job->before_ns = unseen__lived_ns(job, function->since_ns, now_ns);
		job->slice_ns = job->calls = 0;
		job->begin = job->now;
	}
	gap_times__add(&function->gaps, function->since_ns, now_ns);
	function->phase = PHASE_SLICE;
	function->since_ns = now_ns;
	return ret;
}

int unseen__begin(struct unseen *unseen, size_t probe, const struct tm_key *key,
		  const struct unseen_cost *cost, __u64 now_ns)
{
	struct unseen_function *function = make_function(unseen, key);

	if (!function || array__grow((void **)&unseen->parked, &unseen->parked_room,
				     unseen->n_parked, sizeof(*unseen->parked)) < 0)
		return -ENOMEM;
	unseen->parked[unseen->n_parked++] =
		(struct parked_probe){ .number = probe, .function = function };
	if (function->parked++)
		return 0;
	function->cost = *cost;
	return begin_gap(unseen, function, now_ns);
}

int unseen__end(struct unseen *unseen, size_t probe, __u64 now_ns)
{
	for (size_t i = 0; i < unseen->n_parked; i++) {
		struct unseen_function *function = unseen->parked[i].function;

		if (unseen->parked[i].number != probe)
			continue;
		unseen->parked[i] = unseen->parked[--unseen->n_parked];
		return --function->parked ? 0 : end_gap(unseen, function, now_ns);
	}
	return 0;
}

static int let_stay(struct unseen *unseen, struct unseen_function *function, __u64 now_ns)
{
	int ret = unseen__read(unseen, function);
	struct unseen_job *job;

	FOR_EACH_JOB(function, job)
	{
		end_slice(function, job, now_ns);
		settle(function, job);
		gap_estimate__part(&job->estimate);
		job->before_ns = job->slice_ns = job->calls = 0;
	}
	function->phase = PHASE_STAYS;
	function->since_ns = now_ns;
	return ret;
}

int unseen__tend(struct unseen *unseen, __u64 now_ns)
{
	int ret = 0;

	for (size_t i = 0; i < unseen->n && !ret; i++) {
		struct unseen_function *function = unseen->functions[i];

		if (function->phase == PHASE_SLICE &&
		    less(now_ns, function->since_ns) >= SLICE_MAX_NS)
			ret = let_stay(unseen, function, now_ns);
	}
	return ret;
}

static struct gap_total total_of(const struct unseen_function *function, struct unseen_job *job,
				 __u64 now_ns)
{
	struct gap_slice last;

	switch (function->phase) {
	case PHASE_GAP:
		last = slice_of(function, job, job->slice_ns, job->calls);
		return gap_estimate__tell(&job->estimate,
					  job->before_ns > 0 || job->slice_ns > 0 ? &last : NULL,
					  unseen__lived_ns(job, function->since_ns, now_ns));
	case PHASE_SLICE:
		last = slice_of(function, job, unseen__lived_ns(job, function->since_ns, now_ns),
				calls_since(job));
		return gap_estimate__tell(&job->estimate, &last, 0);
	default:
		return gap_estimate__tell(&job->estimate, NULL, 0);
	}
}

static __u64 to_u64(double value)
{
	return value > 0 && value < 1.8e19 ? (__u64)(value + 0.5) : 0;
}

static double missed_ns(const struct unseen_function *function, const struct unseen_job *job,
			__u64 now_ns)
{
	__u64 end_ns = job->end_ns && job->end_ns < now_ns ? job->end_ns : now_ns;
	double ns = (double)gap_times__within(&function->gaps, job->start_ns, end_ns);

	return ns + (function->phase == PHASE_GAP
			     ? unseen__lived_ns(job, function->since_ns, now_ns)
			     : 0);
}

static void figures_of(const struct unseen_function *function, struct unseen_job *job, __u64 now_ns,
		       __u64 out[TM_UNSEENS])
{
	struct gap_total total = total_of(function, job, now_ns);

	out[TM_UNSEEN_MISSED_NS] =
		job->base[TM_UNSEEN_MISSED_NS] + to_u64(missed_ns(function, job, now_ns));
	out[TM_UNSEEN_SPAN_NS] = to_u64(unseen__lived_ns(job, job->start_ns, now_ns));
	out[TM_UNSEEN_SLICES] = job->base[TM_UNSEEN_SLICES] + to_u64(job->estimate.n);
	/* The one that goes on, too. */
	if (total.known && !out[TM_UNSEEN_SLICES])
		out[TM_UNSEEN_SLICES] = 1;
	for (__u32 i = 0; i < GAP_QUANTITIES; i++) {
		out[TM_UNSEEN_COUNT + i] = job->base[TM_UNSEEN_COUNT + i] + to_u64(total.value[i]);
		out[TM_UNSEEN_COUNT_ERROR + i] =
			to_u64(hypot((double)job->base[TM_UNSEEN_COUNT_ERROR + i], total.error[i]));
	}
}

/* Readers look at a series only if its sum has moved. */
static void write_figures(struct tm_series *series, const __u64 figures[TM_UNSEENS])
{
	bool moves = false;

	for (__u32 i = 0; i < TM_UNSEENS; i++) {
		__u64 *figure = series__unseen(series, i);

		moves |= load(figure) != figures[i];
		__atomic_store_n(figure, figures[i], __ATOMIC_RELAXED);
	}
	if (moves)
		__atomic_add_fetch(&series->total_ns, 1, __ATOMIC_RELAXED);
}

/*
 * Also where nothing was missed: without a series it would not be known. *made: there are series of
 * which nobody knows yet.
 */
static void write_function(struct unseen *unseen, struct unseen_function *function, __u64 now_ns,
			   bool *made)
{
	struct tm_key key = { .layer = function->layer,
			      .function = function->number,
			      .flags = TM_KEY_UNSEEN };
	__u64 figures[TM_UNSEENS];
	struct unseen_job *job;

	FOR_EACH_JOB(function, job)
	{
		figures_of(function, job, now_ns, figures);
		key.job = job->id;
		if (job->out)
			write_figures(job->out, figures);
		else
			*made |= !unseen->source.make(unseen->source.context, &key);
	}
}

static bool is_quiet(const struct unseen *unseen)
{
	for (size_t i = 0; i < unseen->n; i++)
		if (unseen->functions[i]->phase != PHASE_STAYS)
			return false;
	return true;
}

int unseen__write(struct unseen *unseen, __u64 now_ns)
{
	bool made = true;
	int ret = 0;

	if (!unseen || !unseen->n ||
	    (is_quiet(unseen) && now_ns > unseen->written_ns &&
	     now_ns - unseen->written_ns < QUIET_NS))
		return 0;
	/* Those that are new are seen when all are read once more. */
	for (int round = 0; !ret && made && round < 2; round++) {
		made = false;
		ret = unseen__read(unseen, NULL);
		for (size_t i = 0; !ret && i < unseen->n; i++)
			write_function(unseen, unseen->functions[i], now_ns, &made);
	}
	unseen->written_ns = now_ns;
	return ret;
}

__u64 unseen__missed_ns(const struct unseen *unseen, __u8 layer, __u64 from_ns, __u64 to_ns)
{
	__u64 longest = 0;

	for (size_t i = 0; unseen && i < unseen->n; i++) {
		const struct unseen_function *function = unseen->functions[i];
		__u64 ns = gap_times__within(&function->gaps, from_ns, to_ns), since_ns;

		if (function->layer != layer)
			continue;
		since_ns = function->since_ns > from_ns ? function->since_ns : from_ns;
		if (function->phase == PHASE_GAP)
			ns += less(to_ns, since_ns);
		if (ns > longest)
			longest = ns;
	}
	return longest;
}
