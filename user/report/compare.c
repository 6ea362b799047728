// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/array.h"
#include "report/batches.h"
#include "report/compare.h"

/* Intervals that are kept of a run; when there are more, each two become one. */
#define INTERVALS 256

/* More of a change than this is in system calls: then it is not the library's own. */
#define MOSTLY 0.5

/* Calls as slow as these few are often so because others had the processor: of most calls the
 * typical time says more, and varies less. */
#define SLOWEST 0.05

/* What of a layer's calls is not the layer's own may be so much of it in a typical time. */
#define NEARLY_ALL 0.95

struct amount {
	double calls, time;
	double below;	/* of time, in system calls */
	double whole;	/* with what is not the layer's own */
	double typical; /* whole, if the slowest calls were as the others */
};

struct function {
	char *layer, *name;
	size_t order; /* of its layer */
	bool library;
	struct amount *amounts[COMPARE_SIDES]; /* INTERVALS of them; NULL: none yet */
	struct amount all[COMPARE_SIDES];
	/* Per call, of both runs; typical is 0 where it is not the layer's own time. */
	double expected, expected_typical;
};

/* Which function a run's numbers mean. */
struct known {
	const struct report_run *run;
	__u32 function;
	__u8 layer;
	size_t index;
};

struct compare {
	void *known; /* of struct known, tsearch(3) */
	struct function *functions;
	size_t n, room, n_layers;
	struct compare_row *rows;
	size_t intervals[COMPARE_SIDES]; /* that are used, the last one maybe in part */
	size_t each[COMPARE_SIDES];	 /* so many were added to one */
	size_t in_last[COMPARE_SIDES];
};

struct compare *compare__new(void)
{
	return calloc(1, sizeof(struct compare));
}

void compare__free(struct compare *compare)
{
	if (!compare)
		return;
	for (size_t i = 0; i < compare->n; i++) {
		free(compare->functions[i].layer);
		free(compare->functions[i].name);
		free(compare->functions[i].amounts[COMPARE_BEFORE]);
		free(compare->functions[i].amounts[COMPARE_AFTER]);
	}
	tdestroy(compare->known, free);
	free(compare->functions);
	free(compare->rows);
	free(compare);
}

static void add_amount(struct amount *to, const struct amount *from)
{
	to->calls += from->calls;
	to->time += from->time;
	to->below += from->below;
	to->whole += from->whole;
	to->typical += from->typical;
}

/* Makes each two intervals of a run one. */
static void halve(struct compare *compare, enum compare_side side)
{
	for (size_t i = 0; i < compare->n; i++) {
		struct amount *amounts = compare->functions[i].amounts[side];

		for (size_t j = 0; amounts && j < INTERVALS / 2; j++) {
			amounts[j] = amounts[2 * j];
			add_amount(&amounts[j], &amounts[2 * j + 1]);
		}
		if (amounts)
			memset(amounts + INTERVALS / 2, 0, INTERVALS / 2 * sizeof(*amounts));
	}
	compare->intervals[side] = INTERVALS / 2;
	compare->each[side] *= 2;
}

/* Goes on to the next interval. */
static void begin_interval(struct compare *compare, enum compare_side side)
{
	if (!compare->each[side])
		compare->each[side] = 1;
	if (compare->intervals[side] && compare->in_last[side] < compare->each[side]) {
		compare->in_last[side]++;
		return;
	}
	if (compare->intervals[side] == INTERVALS)
		halve(compare, side);
	compare->intervals[side]++;
	compare->in_last[side] = 1;
}

/* The order of a layer: that of one which is there, or the next one. */
static size_t order_of(struct compare *compare, const char *layer)
{
	for (size_t i = 0; i < compare->n; i++)
		if (strcmp(compare->functions[i].layer, layer) == 0)
			return compare->functions[i].order;
	return compare->n_layers++;
}

/* The number of a function by its names, a new one where there is none; -ENOMEM. */
static ssize_t index_of(struct compare *compare, const char *layer, const char *name)
{
	struct function function = { .layer = NULL };

	for (size_t i = 0; i < compare->n; i++)
		if (strcmp(compare->functions[i].name, name) == 0 &&
		    strcmp(compare->functions[i].layer, layer) == 0)
			return (ssize_t)i;
	if (array__grow((void **)&compare->functions, &compare->room, compare->n,
			sizeof(function)) < 0)
		return -ENOMEM;
	function.layer = strdup(layer);
	function.name = strdup(name);
	if (!function.layer || !function.name) {
		free(function.layer);
		free(function.name);
		return -ENOMEM;
	}
	function.order = order_of(compare, layer);
	compare->functions[compare->n] = function;
	return (ssize_t)compare->n++;
}

/* The same by the numbers of a run. */
static ssize_t look_up(struct compare *compare, const struct report_run *run,
		       const struct tm_key *key)
{
	const struct report_names *names = &run->names;
	const char *layer = names->layer(names->context, key->layer), *name;
	char layer_name[64];

	/* A string is valid until the next call. */
	snprintf(layer_name, sizeof(layer_name), "%s", layer ? layer : "?");
	name = names->function(names->context, key->layer, key->function);
	return index_of(compare, layer_name, name ? name : "?");
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
static struct function *find(struct compare *compare, const struct report_run *run,
			     const struct tm_key *key)
{
	struct known wanted = { .run = run, .layer = key->layer, .function = key->function };
	struct known **node = tfind(&wanted, &compare->known, compare_known), *known;
	ssize_t index;

	if (node)
		return &compare->functions[(*node)->index];
	index = look_up(compare, run, key);
	known = index < 0 ? NULL : malloc(sizeof(*known));
	if (!known)
		return NULL;
	*known = wanted;
	known->index = (size_t)index;
	if (!tsearch(known, &compare->known, compare_known)) {
		free(known);
		return NULL;
	}
	return &compare->functions[index];
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

	histogram__add(count, &series->latency);
	if (before)
		histogram__subtract(count, &before->latency);
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
static struct amount amount_of(const struct snapshot_series *series,
			       const struct snapshot_series *before)
{
	static const struct tm_series nothing;
	const struct tm_series *now = &series->total, *old = before ? &before->total : &nothing;
	double waited = since(now->times_ns[TM_TIME_BLOCK], old->times_ns[TM_TIME_BLOCK]);
	struct amount amount = {
		.calls = since(now->count, old->count),
		.whole = since(now->total_ns, old->total_ns),
	};
	double n = amount.calls * SLOWEST, slow;

	amount.time = amount.whole;
	if (now->key.layer >= TM_LAYER_USER) {
		amount.time = since(now->self_ns, old->self_ns);
		amount.below =
			since(now->times_ns[TM_TIME_SYSCALL], old->times_ns[TM_TIME_SYSCALL]);
	} else if (now->key.layer == TM_LAYER_VFS) {
		amount.time -= fmin(waited, amount.time);
	}
	if (amount.calls <= 0)
		return amount;
	slow = slowest(series, before, &n);
	/* The time of the others is exact, but for what the buckets of the slowest are wide. */
	amount.typical = fmax(amount.whole - slow, 0) * amount.calls / (amount.calls - n);
	return amount;
}

int compare__add(struct compare *compare, enum compare_side side, const struct report_run *run,
		 const struct snapshot *snapshot)
{
	begin_interval(compare, side);
	for (size_t i = 0; i < snapshot->n_series; i++) {
		const struct snapshot_series *series = snapshot->series[i];
		struct amount amount = amount_of(series, snapshot->before[i]);
		struct function *function;

		if (amount.calls <= 0)
			continue;
		function = find(compare, run, &series->total.key);
		if (!function)
			return -ENOMEM;
		function->library = series->total.key.layer >= TM_LAYER_USER;
		if (!function->amounts[side])
			function->amounts[side] = calloc(INTERVALS, sizeof(amount));
		if (!function->amounts[side])
			return -ENOMEM;
		add_amount(&function->amounts[side][compare->intervals[side] - 1], &amount);
		add_amount(&function->all[side], &amount);
	}
	return 0;
}

static bool in_both(const struct function *function)
{
	return function->all[COMPARE_BEFORE].calls > 0 && function->all[COMPARE_AFTER].calls > 0;
}

/* What functions first to end - 1 took in a run, in all or typically, and were expected to. */
static struct batches batches_of(const struct compare *compare, size_t first, size_t end,
				 enum compare_side side, bool typical)
{
	struct batches_interval intervals[INTERVALS] = { 0 };

	for (size_t i = first; i < end; i++) {
		const struct function *function = &compare->functions[i];
		double expected = typical ? function->expected_typical : function->expected;

		if (!in_both(function) || !function->amounts[side] || expected <= 0)
			continue;
		for (size_t j = 0; j < compare->intervals[side]; j++) {
			const struct amount *amount = &function->amounts[side][j];

			intervals[j].time += typical ? amount->typical : amount->time;
			intervals[j].expected += amount->calls * expected;
		}
	}
	return batches__of(intervals, compare->intervals[side]);
}

/* Is it known of most of the functions' time what is typical? */
static bool has_typical(const struct compare *compare, size_t first, size_t end)
{
	double all = 0, typical = 0;

	for (size_t i = first; i < end; i++) {
		const struct function *function = &compare->functions[i];
		double time =
			function->all[COMPARE_BEFORE].time + function->all[COMPARE_AFTER].time;

		if (!in_both(function))
			continue;
		all += time;
		typical += function->expected_typical > 0 ? time : 0;
	}
	return typical > all / 2;
}

/* The part of the change in time that is in system calls; each run as if it had the calls of both.
 */
static double part_below(const struct compare *compare, size_t first, size_t end)
{
	double time = 0, below = 0;

	for (size_t i = first; i < end; i++) {
		const struct amount *a = &compare->functions[i].all[COMPARE_BEFORE];
		const struct amount *b = &compare->functions[i].all[COMPARE_AFTER];
		double calls = a->calls + b->calls;

		if (!in_both(&compare->functions[i]))
			continue;
		time += calls * (b->time / b->calls - a->time / a->calls);
		below += calls * (b->below / b->calls - a->below / a->calls);
	}
	return time != 0 ? below / time : 0;
}

/* log: the change, and how far it may be off. */
static enum compare_verdict judge(double log_ratio, double within, double below)
{
	double least = log(COMPARE_LEAST);

	if (fabs(log_ratio) - within > least) {
		if (below > MOSTLY)
			return log_ratio > 0 ? COMPARE_SLOWER_BELOW : COMPARE_FASTER_BELOW;
		return log_ratio > 0 ? COMPARE_SLOWER : COMPARE_FASTER;
	}
	return fabs(log_ratio) > least && !isfinite(within) ? COMPARE_UNSURE : COMPARE_SAME;
}

/* The change of all time, or of the typical one, if that is the surer. */
static void measure(const struct compare *compare, size_t first, size_t end,
		    struct compare_row *row)
{
	int kinds = has_typical(compare, first, end) ? 2 : 1; /* all, and typical */
	double log_ratio = 0, within = INFINITY;

	for (int typical = 0; typical < kinds; typical++) {
		struct batches a = batches_of(compare, first, end, COMPARE_BEFORE, typical);
		struct batches b = batches_of(compare, first, end, COMPARE_AFTER, typical);
		double another_within, another = batches__compare(&a, &b, &another_within);

		if (typical && fabs(another) - another_within <= fabs(log_ratio) - within)
			continue;
		log_ratio = another;
		within = another_within;
		row->typical = typical;
	}
	row->ratio = exp(log_ratio);
	row->within = exp(within);
	row->verdict =
		judge(log_ratio, within,
		      compare->functions[first].library ? part_below(compare, first, end) : 0);
}

/* Was there something in most of a run, so that it is missed where there is nothing? */
static bool is_steady(const struct compare *compare, size_t first, size_t end,
		      enum compare_side side)
{
	size_t with_calls = 0;

	for (size_t j = 0; j < compare->intervals[side]; j++) {
		double calls = 0;

		for (size_t i = first; i < end; i++)
			if (compare->functions[i].amounts[side])
				calls += compare->functions[i].amounts[side][j].calls;
		with_calls += calls > 0;
	}
	return with_calls >= 2 && with_calls * 2 >= compare->intervals[side];
}

/* Of what only one run has. */
static enum compare_verdict judge_only(const struct compare *compare, size_t first, size_t end,
				       enum compare_side side)
{
	if (!is_steady(compare, first, end, side))
		return COMPARE_UNSURE;
	return side == COMPARE_AFTER ? COMPARE_ONLY_AFTER : COMPARE_ONLY_BEFORE;
}

static struct compare_row make_row(const struct compare *compare, size_t first, size_t end)
{
	struct compare_row row = { .layer = compare->functions[first].layer, .ratio = 1 };
	struct amount all[COMPARE_SIDES] = { { 0 } };

	row.within = INFINITY;
	for (size_t i = first; i < end; i++)
		for (int side = 0; side < COMPARE_SIDES; side++)
			add_amount(&all[side], &compare->functions[i].all[side]);
	for (int side = 0; side < COMPARE_SIDES; side++) {
		row.calls[side] = (__u64)all[side].calls;
		row.mean_ns[side] = all[side].calls > 0 ? all[side].time / all[side].calls : 0;
	}
	if (!row.calls[COMPARE_AFTER])
		row.verdict = judge_only(compare, first, end, COMPARE_BEFORE);
	else if (!row.calls[COMPARE_BEFORE])
		row.verdict = judge_only(compare, first, end, COMPARE_AFTER);
	else
		measure(compare, first, end, &row);
	return row;
}

/* By layer; then those whose change took most time. */
static double change_of(const struct function *function)
{
	const struct amount *a = &function->all[COMPARE_BEFORE];
	const struct amount *b = &function->all[COMPARE_AFTER];

	return in_both(function) ? fabs(b->time - b->calls * a->time / a->calls)
				 : a->time + b->time;
}

static int by_layer(const void *left, const void *right)
{
	const struct function *a = left, *b = right;
	double change_a = change_of(a), change_b = change_of(b);

	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	if (change_a != change_b)
		return change_a > change_b ? -1 : 1;
	return strcmp(a->name, b->name);
}

int compare__finish(struct compare *compare, const struct compare_row **rows, size_t *n)
{
	size_t end;

	*n = 0;
	compare->rows = calloc(compare->n + compare->n_layers + 1, sizeof(*compare->rows));
	if (!compare->rows)
		return -ENOMEM;
	*rows = compare->rows;
	if (!compare->n)
		return 0;
	for (size_t i = 0; i < compare->n; i++) {
		struct function *function = &compare->functions[i];
		struct amount all = function->all[COMPARE_BEFORE];

		add_amount(&all, &function->all[COMPARE_AFTER]);
		function->expected = all.calls > 0 ? all.time / all.calls : 0;
		if (all.time > NEARLY_ALL * all.whole)
			function->expected_typical = all.typical / all.calls;
	}
	qsort(compare->functions, compare->n, sizeof(*compare->functions), by_layer);
	for (size_t first = 0; first < compare->n; first = end) {
		for (end = first; end < compare->n; end++)
			if (compare->functions[end].order != compare->functions[first].order)
				break;
		compare->rows[(*n)++] = make_row(compare, first, end);
		for (size_t i = first; i < end; i++) {
			compare->rows[*n] = make_row(compare, i, i + 1);
			compare->rows[(*n)++].function = compare->functions[i].name;
		}
	}
	return 0;
}
