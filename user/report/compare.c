// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/batches.h"
#include "report/compare.h"
#include "report/compare_common.h"
#include "report/compare_history.h"
#include "report/compare_typical.h"

/* More of a change than this is in system calls: then it is not the library's own. */
#define MOSTLY 0.5

struct compare {
	struct compare_history history;
	struct compare_row *rows;
};

struct compare *compare__new(void)
{
	return calloc(1, sizeof(struct compare));
}

void compare__free(struct compare *compare)
{
	if (!compare)
		return;
	compare_history__free(&compare->history);
	free(compare->rows);
	free(compare);
}

int compare__add(struct compare *compare, enum compare_side side, const struct report_run *run,
		 const struct snapshot *snapshot)
{
	return compare_history__add(&compare->history, side, run, snapshot);
}

static bool in_both(const struct compare_function *function)
{
	return function->all[COMPARE_BEFORE].calls > 0 && function->all[COMPARE_AFTER].calls > 0;
}

/* What functions first to end - 1 took in a run, in all or typically, and were expected to. */
static struct batches batches_of(const struct compare_history *history, size_t first, size_t end,
				 enum compare_side side, bool typical)
{
	struct batches_interval intervals[COMPARE_INTERVALS] = { 0 };

	for (size_t i = first; i < end; i++) {
		const struct compare_function *function = &history->functions[i];
		double expected = typical ? function->expected_typical : function->expected;

		if (!in_both(function) || !function->amounts[side] || expected <= 0)
			continue;
		for (size_t j = 0; j < history->intervals[side]; j++) {
			const struct compare_amount *amount = &function->amounts[side][j];

			intervals[j].time += typical ? amount->typical : amount->time;
			intervals[j].expected += amount->calls * expected;
		}
	}
	return batches__of(intervals, history->intervals[side]);
}

/* Is it known of most of the functions' time what is typical? */
static bool has_typical(const struct compare_history *history, size_t first, size_t end)
{
	double all = 0, typical = 0;

	for (size_t i = first; i < end; i++) {
		const struct compare_function *function = &history->functions[i];
		double time =
			function->all[COMPARE_BEFORE].time + function->all[COMPARE_AFTER].time;

		if (!in_both(function))
			continue;
		all += time;
		typical += function->expected_typical > 0 ? time : 0;
	}
	return typical > all / 2;
}

/* What functions take in both runs, each run as if it had the calls of both. */
struct both {
	double time[COMPARE_SIDES], below[COMPARE_SIDES];
};

static struct both both_of(const struct compare_history *history, size_t first, size_t end)
{
	struct both both = { { 0 } };

	for (size_t i = first; i < end; i++) {
		const struct compare_amount *all = history->functions[i].all;
		double calls = all[COMPARE_BEFORE].calls + all[COMPARE_AFTER].calls;

		if (!in_both(&history->functions[i]))
			continue;
		for (int side = 0; side < COMPARE_SIDES; side++) {
			both.time[side] += calls * all[side].time / all[side].calls;
			both.below[side] += calls * all[side].below / all[side].calls;
		}
	}
	return both;
}

/* The part of the change in time that is in system calls. */
static double part_below(const struct both *both)
{
	double time = both->time[COMPARE_AFTER] - both->time[COMPARE_BEFORE];

	return time != 0 ? (both->below[COMPARE_AFTER] - both->below[COMPARE_BEFORE]) / time : 0;
}

/* The change of the time that is in none; 0: there was no such time. */
static double code_ratio(const struct both *both)
{
	double before = both->time[COMPARE_BEFORE] - both->below[COMPARE_BEFORE];

	return before > 0 ? fmax(both->time[COMPARE_AFTER] - both->below[COMPARE_AFTER], 0) / before
			  : 0;
}

/* log: the change, and how far it may be off. */
static enum compare_verdict judge(double log_ratio, double within, double below)
{
	double least = log(COMPARE_LEAST);

	if (fabs(log_ratio) > least && fabs(log_ratio) - within > log(COMPARE_SURELY)) {
		if (below > MOSTLY)
			return log_ratio > 0 ? COMPARE_SLOWER_BELOW : COMPARE_FASTER_BELOW;
		return log_ratio > 0 ? COMPARE_SLOWER : COMPARE_FASTER;
	}
	return fabs(log_ratio) > least && !isfinite(within) ? COMPARE_UNSURE : COMPARE_SAME;
}

/* Of functions together, each weighted with its time. */
static double vague_of(const struct compare_history *history, size_t first, size_t end)
{
	double time = 0, vague = 0;

	for (size_t i = first; i < end; i++) {
		const struct compare_function *function = &history->functions[i];
		double weight =
			(function->all[COMPARE_BEFORE].calls + function->all[COMPARE_AFTER].calls) *
			function->expected_typical;

		if (!in_both(function))
			continue;
		time += weight;
		vague += weight * function->vague;
	}
	return time > 0 ? vague / time : 0;
}

/* Compares all time of functions first to end - 1, or the typical one; the row has the result. */
static void measure_one(const struct compare_history *history, size_t first, size_t end,
			bool typical, struct compare_row *row)
{
	struct batches a = batches_of(history, first, end, COMPARE_BEFORE, typical);
	struct batches b = batches_of(history, first, end, COMPARE_AFTER, typical);
	struct both both = both_of(history, first, end);
	double within, log_ratio = batches__compare(&a, &b, &within);

	if (typical)
		within = hypot(within, vague_of(history, first, end));
	row->typical = typical;
	row->ratio = exp(log_ratio);
	row->within = exp(within);
	row->code_ratio = code_ratio(&both);
	row->verdict =
		judge(log_ratio, within, history->functions[first].library ? part_below(&both) : 0);
}

/*
 * The typical time decides where it is known. Where all time has changed and the typical one has
 * not, the slowest calls have.
 */
static void measure_row(const struct compare_history *history, size_t first, size_t end,
			struct compare_row *row)
{
	struct compare_row typical = *row;

	measure_one(history, first, end, false, row);
	if (!has_typical(history, first, end))
		return;
	measure_one(history, first, end, true, &typical);
	if (typical.verdict != COMPARE_SAME || row->verdict == COMPARE_SAME ||
	    row->verdict == COMPARE_UNSURE)
		*row = typical;
	else
		row->verdict = COMPARE_SLOWEST;
}

/* Was there something in most of a run, so that it is missed where there is nothing? */
static bool is_steady(const struct compare_history *history, size_t first, size_t end,
		      enum compare_side side)
{
	size_t with_calls = 0;

	for (size_t j = 0; j < history->intervals[side]; j++) {
		double calls = 0;

		for (size_t i = first; i < end; i++)
			if (history->functions[i].amounts[side])
				calls += history->functions[i].amounts[side][j].calls;
		with_calls += calls > 0;
	}
	return with_calls >= 2 && with_calls * 2 >= history->intervals[side];
}

/* Of what only one run has. */
static enum compare_verdict judge_only(const struct compare_history *history, size_t first,
				       size_t end, enum compare_side side)
{
	if (!is_steady(history, first, end, side))
		return COMPARE_UNSURE;
	return side == COMPARE_AFTER ? COMPARE_ONLY_AFTER : COMPARE_ONLY_BEFORE;
}

static struct compare_row make_row(const struct compare_history *history, size_t first, size_t end)
{
	struct compare_row row = {
		.layer = history->functions[first].layer,
		.takes_processor = !history->functions[first].device,
		.ratio = 1,
	};
	struct compare_amount all[COMPARE_SIDES] = { { 0 } };

	row.within = INFINITY;
	for (size_t i = first; i < end; i++)
		for (int side = 0; side < COMPARE_SIDES; side++)
			compare_amount__add(&all[side], &history->functions[i].all[side]);
	for (int side = 0; side < COMPARE_SIDES; side++) {
		row.calls[side] = (__u64)all[side].calls;
		row.mean_ns[side] = all[side].calls > 0 ? all[side].time / all[side].calls : 0;
	}
	if (!row.calls[COMPARE_AFTER])
		row.verdict = judge_only(history, first, end, COMPARE_BEFORE);
	else if (!row.calls[COMPARE_BEFORE])
		row.verdict = judge_only(history, first, end, COMPARE_AFTER);
	else
		measure_row(history, first, end, &row);
	return row;
}

/* By layer; then those whose change took most time. */
static double change_of(const struct compare_function *function)
{
	const struct compare_amount *a = &function->all[COMPARE_BEFORE];
	const struct compare_amount *b = &function->all[COMPARE_AFTER];

	return in_both(function) ? fabs(b->time - b->calls * a->time / a->calls)
				 : a->time + b->time;
}

static int by_layer(const void *left, const void *right)
{
	const struct compare_function *a = left, *b = right;
	double change_a = change_of(a), change_b = change_of(b);

	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	if (change_a != change_b)
		return change_a > change_b ? -1 : 1;
	return strcmp(a->name, b->name);
}

int compare__finish(struct compare *compare, const struct compare_row **rows, size_t *n)
{
	struct compare_history *history = &compare->history;
	size_t end;

	*n = 0;
	compare->rows = calloc(history->n + history->n_layers + 1, sizeof(*compare->rows));
	if (!compare->rows)
		return -ENOMEM;
	*rows = compare->rows;
	if (!history->n)
		return 0;
	for (size_t i = 0; i < history->n; i++)
		compare_typical__estimate(&history->functions[i], history->intervals);
	qsort(history->functions, history->n, sizeof(*history->functions), by_layer);
	for (size_t first = 0; first < history->n; first = end) {
		for (end = first; end < history->n; end++)
			if (history->functions[end].order != history->functions[first].order)
				break;
		compare->rows[(*n)++] = make_row(history, first, end);
		for (size_t i = first; i < end; i++) {
			compare->rows[*n] = make_row(history, i, i + 1);
			compare->rows[(*n)++].function = history->functions[i].name;
		}
	}
	compare_common__take_out(compare->rows, *n);
	return 0;
}
