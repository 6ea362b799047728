// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "drain/formulas.h"
#include "metrics/ranking.h"
#include "metrics/shown.h"

/* What was done so long ago counts half. */
#define HALF_LIFE_S 60.0

/* So much busier must be who takes another's place. */
#define ADVANTAGE 2.0

static size_t count_jobs(const struct snapshot *snapshot)
{
	size_t n = 0;

	for (size_t i = 0; i < snapshot->n_series; i++)
		n += i == 0 ||
		     snapshot->series[i]->total.key.job != snapshot->series[i - 1]->total.key.job;
	return n;
}

/* Are two series that follow one another in the same row? */
static bool same_row(const struct tm_key *a, const struct tm_key *b)
{
	return a->layer == b->layer && a->function == b->function &&
	       metric_key__kind(a) == metric_key__kind(b) &&
	       (a->layer != TM_LAYER_BLOCK || a->where == b->where);
}

static __u64 weight_of(const struct tm_series *total)
{
	struct metric_counters counters = {
		.count = total->count,
		.own_ns = series__own_ns(total),
	};

	if (key__is_task_io(&total->key))
		counters = (struct metric_counters){
			.count =
				total->task_io[TM_TASK_IO_SYSCR] + total->task_io[TM_TASK_IO_SYSCW],
		};
	else if (key__is_beside(&total->key))
		return 0;
	return metric_counters__weight(&counters);
}

/* What a job has done, and the samples of its rows; rank->first is the first of its series. */
static void measure_job(struct metrics_rank *rank, const struct report_run *run,
			const struct snapshot *snapshot)
{
	const struct tm_key *before = NULL;

	rank->samples = METRICS_JOB_SAMPLES;
	for (; rank->end < snapshot->n_series; rank->end++) {
		const struct tm_series *total = &snapshot->series[rank->end]->total;
		const struct tm_key *key = &total->key;
		const struct metric_key row = {
			.kind = metric_key__kind(key),
			.layer = key->layer,
			.function = key->function,
		};

		if (key->job != rank->job)
			break;
		rank->weight += weight_of(total);
		if (row.kind == METRIC_KINDS || (before && same_row(before, key)))
			continue;
		before = key;
		rank->samples += metrics_shown__samples(run, &row);
	}
}

/* What it did lately; old: the same job the time before, or NULL. */
static void score(struct metrics_rank *rank, const struct metrics_rank *old, double kept)
{
	rank->score = (double)rank->weight;
	/* Of one that has done less than before, the number is another one's now. */
	if (!old || rank->weight < old->weight)
		return;
	rank->was_there = true;
	rank->had_room = old->has_room;
	rank->score = old->score * kept + (double)(rank->weight - old->weight);
}

int metrics_ranking__update(struct metrics_ranking *ranking, const struct report_run *run,
			    const struct snapshot *snapshot)
{
	struct metrics_ranking new = { .monotonic_ns = snapshot->monotonic_ns };
	double seconds = (double)(new.monotonic_ns - ranking->monotonic_ns) / NS_PER_S;
	double kept = exp2(-seconds / HALF_LIFE_S);
	size_t old = 0;

	new.ranks = calloc(count_jobs(snapshot) + 1, sizeof(*new.ranks));
	if (!new.ranks)
		return -ENOMEM;
	for (size_t i = 0; i < snapshot->n_series;) {
		struct metrics_rank *rank = &new.ranks[new.n];
		__u64 job = snapshot->series[i]->total.key.job;

		*rank = (struct metrics_rank){ .job = job, .first = i, .end = i };
		measure_job(rank, run, snapshot);
		i = rank->end;
		if (job == TM_JOB_OTHERS)
			break;
		while (old < ranking->n && ranking->ranks[old].job < job)
			old++;
		score(rank,
		      old < ranking->n && ranking->ranks[old].job == job ? &ranking->ranks[old]
									 : NULL,
		      kept);
		new.n++;
	}
	free(ranking->ranks);
	*ranking = new;
	return 0;
}

static double claim_of_job(const struct metrics_rank *rank)
{
	return rank->score * (rank->had_room ? ADVANTAGE : 1);
}

/* The busiest first, of equal ones who had room, then the older. */
static int by_claim(const void *left, const void *right)
{
	const struct metrics_rank *a = *(struct metrics_rank *const *)left;
	const struct metrics_rank *b = *(struct metrics_rank *const *)right;

	if (claim_of_job(a) != claim_of_job(b))
		return claim_of_job(a) > claim_of_job(b) ? -1 : 1;
	if (a->had_room != b->had_room)
		return a->had_room ? -1 : 1;
	return a->job < b->job ? -1 : a->job > b->job;
}

static size_t needed(const struct metrics_rank *rank, size_t of_one)
{
	return rank->samples < of_one ? rank->samples : of_one;
}

int metrics_ranking__choose(struct metrics_ranking *ranking, size_t samples, size_t of_one)
{
	struct metrics_rank **order;
	size_t all = 0;

	for (size_t i = 0; i < ranking->n; i++)
		all += needed(&ranking->ranks[i], of_one);
	ranking->is_full = all > samples;
	for (size_t i = 0; i < ranking->n; i++)
		ranking->ranks[i].has_room = !ranking->is_full;
	ranking->left = ranking->is_full ? 0 : samples - all;
	if (!ranking->is_full)
		return 0;
	order = calloc(ranking->n, sizeof(struct metrics_rank *));
	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < ranking->n; i++)
		order[i] = &ranking->ranks[i];
	qsort(order, ranking->n, sizeof(struct metrics_rank *), by_claim);
	for (size_t i = 0; i < ranking->n; i++) {
		if (needed(order[i], of_one) > samples)
			continue;
		order[i]->has_room = true;
		samples -= needed(order[i], of_one);
	}
	ranking->left = samples;
	free(order);
	return 0;
}

void metrics_ranking__free(struct metrics_ranking *ranking)
{
	free(ranking->ranks);
	*ranking = (struct metrics_ranking){ 0 };
}
