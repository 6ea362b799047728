// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/array.h"
#include "drain/formulas.h"
#include "drain/merge.h"
#include "report/compare_history.h"

/* Calls as slow as these few are often so because others had the processor: of most calls the
 * typical time says more, and varies less. */
#define SLOWEST 0.05

/* Which function a run's numbers mean. */
struct known {
	const struct report_run *run;
	__u32 function;
	__u8 layer;
	size_t index;
};

void compare_history__free(struct compare_history *history)
{
	for (size_t i = 0; i < history->n; i++) {
		free(history->functions[i].layer);
		free(history->functions[i].name);
		free(history->functions[i].amounts[COMPARE_BEFORE]);
		free(history->functions[i].amounts[COMPARE_AFTER]);
	}
	tdestroy(history->known, free);
	free(history->functions);
}

void compare_amount__add(struct compare_amount *to, const struct compare_amount *from)
{
	to->calls += from->calls;
	to->time += from->time;
	to->below += from->below;
	to->whole += from->whole;
	to->typical += from->typical;
}

/* Makes each two intervals of a run one. */
static void halve(struct compare_history *history, enum compare_side side)
{
	for (size_t i = 0; i < history->n; i++) {
		struct compare_amount *amounts = history->functions[i].amounts[side];

		for (size_t j = 0; amounts && j < COMPARE_INTERVALS / 2; j++) {
			amounts[j] = amounts[2 * j];
			compare_amount__add(&amounts[j], &amounts[2 * j + 1]);
		}
		if (amounts)
			memset(amounts + COMPARE_INTERVALS / 2, 0,
			       COMPARE_INTERVALS / 2 * sizeof(*amounts));
	}
	history->intervals[side] = COMPARE_INTERVALS / 2;
	history->each[side] *= 2;
}

/* Goes on to the next interval. */
static void begin_interval(struct compare_history *history, enum compare_side side)
{
	if (!history->each[side])
		history->each[side] = 1;
	if (history->intervals[side] && history->in_last[side] < history->each[side]) {
		history->in_last[side]++;
		return;
	}
	if (history->intervals[side] == COMPARE_INTERVALS)
		halve(history, side);
	history->intervals[side]++;
	history->in_last[side] = 1;
}

/* The order of a layer: that of one which is there, or the next one. */
static size_t order_of(struct compare_history *history, const char *layer)
{
	for (size_t i = 0; i < history->n; i++)
		if (strcmp(history->functions[i].layer, layer) == 0)
			return history->functions[i].order;
	return history->n_layers++;
}

/* The number of a function by its names, a new one where there is none; -ENOMEM. */
static ssize_t index_of(struct compare_history *history, const char *layer, const char *name)
{
	struct compare_function function = { .layer = NULL };

	for (size_t i = 0; i < history->n; i++)
		if (strcmp(history->functions[i].name, name) == 0 &&
		    strcmp(history->functions[i].layer, layer) == 0)
			return (ssize_t)i;
	if (array__grow((void **)&history->functions, &history->room, history->n,
			sizeof(function)) < 0)
		return -ENOMEM;
	function.layer = strdup(layer);
	function.name = strdup(name);
	if (!function.layer || !function.name) {
		free(function.layer);
		free(function.name);
		return -ENOMEM;
	}
	function.order = order_of(history, layer);
	history->functions[history->n] = function;
	return (ssize_t)history->n++;
}

/* The same by the numbers of a run. */
static ssize_t look_up(struct compare_history *history, const struct report_run *run,
		       const struct tm_key *key)
{
	const struct report_names *names = &run->names;
	const char *layer = names->layer(names->context, key->layer), *name;
	char layer_name[64];

	/* A string is valid until the next call. */
	snprintf(layer_name, sizeof(layer_name), "%s", layer ? layer : "?");
	name = names->function(names->context, key->layer, key->function);
	return index_of(history, layer_name, name ? name : "?");
}

static int compare_known(const void *left, const void *right)
{
	const struct known *a = left, *b = right;

	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	if (a->layer != b->layer)
		return a->layer < b->layer ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

/* The function that a series is of; NULL: out of memory. */
static struct compare_function *find_function(struct compare_history *history,
					      const struct report_run *run,
					      const struct tm_key *key)
{
	struct known wanted = { .run = run, .layer = key->layer, .function = key->function };
	struct known **node = tfind(&wanted, &history->known, compare_known), *known;
	ssize_t index;

	if (node)
		return &history->functions[(*node)->index];
	index = look_up(history, run, key);
	known = index < 0 ? NULL : malloc(sizeof(*known));
	if (!known)
		return NULL;
	*known = wanted;
	known->index = (size_t)index;
	if (!tsearch(known, &history->known, compare_known)) {
		free(known);
		return NULL;
	}
	return &history->functions[index];
}

static double since(__u64 now, __u64 before)
{
	return now > before ? (double)(now - before) : 0;
}

/* The time of the slowest calls, `n` of them or less, by their buckets; *n: how many they are. */
static double slowest(const struct snapshot_series *series, const struct snapshot_series *before,
		      double *n)
{
	__u64 count[TM_BUCKETS] = { 0 };
	double left = *n, sum = 0;

	latency__since(count, series, before);
	for (__u32 i = TM_BUCKETS; i-- && left > 0;) {
		double some = fmin((double)count[i], left), lower = (double)tm_bucket_lower(i);

		sum += some *
		       (i == TM_BUCKETS - 1 ? lower : (lower + (double)tm_bucket_upper(i)) / 2);
		left -= some;
	}
	*n -= left;
	return sum;
}

/* What a series got since the read before; calls that were only counted have no time. */
static struct compare_amount amount_of(const struct snapshot_series *series,
				       const struct snapshot_series *before)
{
	static const struct tm_series nothing;
	const struct tm_series *now = &series->total, *old = before ? &before->total : &nothing;
	double waited = since(now->times_ns[TM_TIME_BLOCK], old->times_ns[TM_TIME_BLOCK]);
	struct compare_amount amount = {
		.calls = since(now->count, old->count),
		.whole = since(now->total_ns, old->total_ns),
	};
	double n = amount.calls * SLOWEST, slow;

	amount.time = since(series__own_ns(now), series__own_ns(old));
	if (now->key.layer >= TM_LAYER_USER)
		amount.below =
			since(now->times_ns[TM_TIME_SYSCALL], old->times_ns[TM_TIME_SYSCALL]);
	else if (now->key.layer == TM_LAYER_VFS)
		amount.time -= fmin(waited, amount.time);
	if (amount.calls <= 0)
		return amount;
	slow = slowest(series, before, &n);
	/* The time of the others is exact, but for what the buckets of the slowest are wide. */
	amount.typical = fmax(amount.whole - slow, 0) * amount.calls / (amount.calls - n);
	return amount;
}

int compare_history__add(struct compare_history *history, enum compare_side side,
			 const struct report_run *run, const struct snapshot *snapshot)
{
	begin_interval(history, side);
	for (size_t i = 0; i < snapshot->n_series; i++) {
		const struct snapshot_series *series = snapshot->series[i];
		struct compare_amount amount = amount_of(series, snapshot->before[i]);
		struct compare_function *function;

		if (amount.calls <= 0 || key__is_beside(&series->total.key))
			continue;
		function = find_function(history, run, &series->total.key);
		if (!function)
			return -ENOMEM;
		function->library = series->total.key.layer >= TM_LAYER_USER;
		function->device = series->total.key.layer == TM_LAYER_BLOCK;
		if (!function->amounts[side])
			function->amounts[side] = calloc(COMPARE_INTERVALS, sizeof(amount));
		if (!function->amounts[side])
			return -ENOMEM;
		compare_amount__add(&function->amounts[side][history->intervals[side] - 1],
				    &amount);
		compare_amount__add(&function->all[side], &amount);
	}
	return 0;
}
