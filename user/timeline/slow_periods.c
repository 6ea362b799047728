// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "timeline/slow_periods.h"
#include "timeline/usual.h"

/* A bin with fewer calls above its percentile has none to speak of. */
#define ABOVE_LEAST 5
/* Bins become wider until half of them have so many: then chance moves the percentile little. */
#define ABOVE_ENOUGH 25
/* Higher ones are moved by what few calls suffer on a busy machine. */
#define PERCENTILE 75
/* With fewer bins nobody knows what is usual; with more, chance has more occasions. */
#define BINS_LEAST 10
#define BINS_MOST  50

/* A bin with enough calls. */
struct busy_bin {
	size_t at; /* in the timeline */
	double log_ns, calls;
	bool slow;
};

struct search {
	int percentile;	       /* of the latencies of bins, that is compared */
	struct timeline *bins; /* wide enough */
	struct busy_bin *busy;
	double *scratch;
	size_t n;
};

static __u64 latency_of(const struct search *search, const struct timeline_bin *bin)
{
	return timeline_bin__quantile(bin, (unsigned int)search->percentile * 10);
}

/* Of so many calls. */
static double above(const struct search *search, double calls)
{
	return calls * (100 - search->percentile) / 100;
}

static void collect_bins(struct search *search)
{
	search->n = 0;
	for (size_t i = 0; i < timeline__n(search->bins); i++) {
		const struct timeline_bin *bin = timeline__bin(search->bins, i);
		double calls = (double)histogram__total(&bin->latency);
		__u64 ns = latency_of(search, bin);

		if (above(search, calls) < ABOVE_LEAST || !ns)
			continue;
		search->busy[search->n++] = (struct busy_bin){ .at = i,
							       .log_ns = log((double)ns),
							       .calls = (double)bin->count };
	}
}

static double median_calls(struct search *search, bool slow_too)
{
	size_t n = 0;

	for (size_t i = 0; i < search->n; i++)
		if (slow_too || !search->busy[i].slow)
			search->scratch[n++] = search->busy[i].calls;
	return usual__median(search->scratch, n);
}

/* A copy with bins of at least that width. */
static int copy(struct search *search, const struct timeline *timeline, unsigned int doublings)
{
	struct timeline_about about = timeline__about(timeline);

	about.doublings = doublings;
	timeline__free(search->bins);
	search->bins = timeline__new(&about);
	return search->bins ? timeline__merge(search->bins, timeline) : -ENOMEM;
}

/* Bins that are wide enough, with what is in them. */
static int prepare(struct search *search, const struct timeline *timeline)
{
	unsigned int doublings = timeline__about(timeline).doublings;
	int ret;

	do {
		ret = copy(search, timeline, doublings++);
		if (ret < 0)
			return ret;
		collect_bins(search);
	} while (timeline__n(search->bins) > 2 * BINS_LEAST && doublings < TIMELINE_DOUBLINGS &&
		 (timeline__n(search->bins) > BINS_MOST ||
		  above(search, median_calls(search, true)) < ABOVE_ENOUGH));
	return 0;
}

/* What is usual in all bins but those from first to end - 1. */
static struct usual usual_without(struct search *search, size_t first, size_t end)
{
	size_t n = 0;

	for (size_t i = 0; i < search->n; i++)
		if (i < first || i >= end)
			search->scratch[n++] = search->busy[i].log_ns;
	return usual__of(search->scratch, n);
}

/* Bins that may be of a slow period. */
static void mark(struct search *search)
{
	const struct usual usual = usual_without(search, 0, 0);

	for (size_t i = 0; i < search->n; i++)
		search->busy[i].slow = usual__is_longer(&usual, search->busy[i].log_ns);
}

/* Slow bins first to end - 1 as one. */
static struct slow_period period_of(struct search *search, size_t first, size_t end,
				    const struct usual *usual)
{
	__u64 counts[TM_BUCKETS] = { 0 }, bin_ns = timeline__bin_ns(search->bins);
	__u64 start_ns = timeline__start_ns(search->bins);
	double calls = 0, usual_calls = median_calls(search, false);
	struct slow_period period = {
		.percentile = search->percentile,
		.usual_ns = (__u64)exp(usual->log_ns),
	};
	struct timeline_bin sum = { 0 };

	for (size_t i = first; i < end; i++) {
		histogram__add(counts, &timeline__bin(search->bins, search->busy[i].at)->latency);
		calls += search->busy[i].calls;
	}
	sum.latency = histogram__of(counts);
	period.start_ns = start_ns + search->busy[first].at * bin_ns;
	period.end_ns = start_ns + (search->busy[end - 1].at + 1) * bin_ns;
	period.latency_ns = latency_of(search, &sum);
	period.deviations = usual__deviations(usual, log((double)period.latency_ns));
	period.load = usual_calls > 0 ? calls / (double)(end - first) / usual_calls : 0;
	period.by_load = usual__explains(period.load);
	return period;
}

/* Keeps those that stand out most, in their order. */
static void keep(struct slow_period out[SLOW_PERIODS_MAX], size_t *n,
		 const struct slow_period *period)
{
	size_t least = 0;

	if (*n < SLOW_PERIODS_MAX) {
		out[(*n)++] = *period;
		return;
	}
	for (size_t i = 1; i < *n; i++)
		if (out[i].deviations < out[least].deviations)
			least = i;
	if (out[least].deviations >= period->deviations)
		return;
	memmove(&out[least], &out[least + 1], (*n - least - 1) * sizeof(*out));
	out[*n - 1] = *period;
}

/*
 * Bins first to end - 1 may be slow: those of them that stand out from all others, which the period
 * is no part of, so that it does not hide itself. One bin alone may be a moment in which the
 * machine did something else; and what is most of the time is usual.
 */
static void judge(struct search *search, size_t first, size_t end,
		  struct slow_period out[SLOW_PERIODS_MAX], size_t *n)
{
	const struct usual usual = usual_without(search, first, end);
	struct slow_period period;

	if (end - first > search->n / 3)
		return;
	while (first < end && !usual__is_exceeded(&usual, search->busy[first].log_ns))
		first++;
	while (end > first && !usual__is_exceeded(&usual, search->busy[end - 1].log_ns))
		end--;
	if (end - first < 2)
		return;
	period = period_of(search, first, end, &usual);
	if (usual__is_exceeded(&usual, log((double)period.latency_ns)))
		keep(out, n, &period);
}

static void join(struct search *search, struct slow_period out[SLOW_PERIODS_MAX], size_t *n)
{
	for (size_t i = 0, end; i < search->n; i = end) {
		end = i + 1;
		if (!search->busy[i].slow)
			continue;
		while (end < search->n && search->busy[end].slow)
			end++;
		judge(search, i, end, out, n);
	}
}

static int find_periods(struct search *search, const struct timeline *timeline, int percentile,
			struct slow_period out[SLOW_PERIODS_MAX], size_t *n)
{
	int ret;

	search->percentile = percentile;
	ret = prepare(search, timeline);
	*n = 0;
	if (!ret && search->n >= BINS_LEAST) {
		mark(search);
		join(search, out, n);
	}
	return ret;
}

static double middle_of(__u32 bucket)
{
	return ((double)tm_bucket_lower(bucket) + (double)tm_bucket_upper(bucket)) / 2;
}

/* Which part of a bin's calls take half of its time, the longest ones. */
static double heavy_part(const struct timeline_bin *bin)
{
	const struct histogram *latency = &bin->latency;
	double calls = 0, left = 0;

	for (__u32 i = 0; i < latency->n; i++)
		left += (double)latency->count[i] * middle_of(latency->first + i);
	left /= 2;
	for (__u32 i = latency->n; i-- && left > 0;) {
		double ns = middle_of(latency->first + i), more = (double)latency->count[i];

		if (more * ns > left)
			more = left / ns;
		left -= more * ns;
		calls += more;
	}
	return calls / (double)histogram__total(latency);
}

/*
 * The percentile that is in the midst of the calls that usually take half of the time: where quick
 * ones are most, as of a cache, a lower one sees nothing of a slow disk. 0: the usual one is among
 * those calls, or none is in their midst.
 */
static int heavy_percentile(struct search *search)
{
	static const int percentiles[] = { 90, 95, 98, 99 };
	double part;

	for (size_t i = 0; i < search->n; i++)
		search->scratch[i] = heavy_part(timeline__bin(search->bins, search->busy[i].at));
	part = usual__median(search->scratch, search->n);
	if (part * 100 >= 100 - PERCENTILE)
		return 0;
	for (size_t i = 0; i < sizeof(percentiles) / sizeof(*percentiles); i++)
		if (part / 2 * 100 >= 100 - percentiles[i])
			return percentiles[i];
	return 0;
}

static bool overlaps(const struct slow_period *period, const struct slow_period *others, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (period->start_ns < others[i].end_ns && others[i].start_ns < period->end_ns)
			return true;
	return false;
}

static int compare_starts(const void *left, const void *right)
{
	const struct slow_period *a = left, *b = right;

	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

int slow_periods__find(const struct timeline *timeline, struct slow_period out[SLOW_PERIODS_MAX],
		       size_t *n)
{
	struct search search = {
		.busy = calloc(TIMELINE_BINS, sizeof(*search.busy)),
		.scratch = calloc(TIMELINE_BINS, sizeof(*search.scratch)),
	};
	int ret = search.busy && search.scratch ? 0 : -ENOMEM, heavy;
	struct slow_period more[SLOW_PERIODS_MAX];
	size_t n_more = 0;

	*n = 0;
	if (!ret)
		ret = find_periods(&search, timeline, PERCENTILE, out, n);
	heavy = ret ? 0 : heavy_percentile(&search);
	if (heavy)
		ret = find_periods(&search, timeline, heavy, more, &n_more);
	for (size_t i = 0; i < n_more && !ret; i++)
		if (!overlaps(&more[i], out, *n))
			keep(out, n, &more[i]);
	qsort(out, *n, sizeof(*out), compare_starts);
	timeline__free(search.bins);
	free(search.busy);
	free(search.scratch);
	return ret;
}
