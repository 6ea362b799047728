// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "timeline/slow_periods.h"
#include "timeline/usual.h"

/* A bin with fewer calls has no percentile to speak of. */
#define CALLS_LEAST 20
/* Bins become wider until half of them have so many: then chance moves the percentile little.
 */
#define CALLS_ENOUGH 100
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
	struct timeline *bins; /* wide enough */
	struct busy_bin *busy;
	double *scratch;
	size_t n;
};

static void collect(struct search *search)
{
	search->n = 0;
	for (size_t i = 0; i < timeline__n(search->bins); i++) {
		const struct timeline_bin *bin = timeline__bin(search->bins, i);
		__u64 p75_ns = timeline_bin__quantile(bin, 750);

		if (histogram__total(&bin->latency) < CALLS_LEAST || !p75_ns)
			continue;
		search->busy[search->n++] = (struct busy_bin){ .at = i,
							       .log_ns = log((double)p75_ns),
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
		collect(search);
	} while (timeline__n(search->bins) > 2 * BINS_LEAST && doublings < TIMELINE_DOUBLINGS &&
		 (timeline__n(search->bins) > BINS_MOST ||
		  median_calls(search, true) < CALLS_ENOUGH));
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
	struct slow_period period = { .usual_ns = (__u64)exp(usual->log_ns) };
	struct timeline_bin sum = { 0 };

	for (size_t i = first; i < end; i++) {
		histogram__add(counts, &timeline__bin(search->bins, search->busy[i].at)->latency);
		calls += search->busy[i].calls;
	}
	sum.latency = histogram__of(counts);
	period.start_ns = start_ns + search->busy[first].at * bin_ns;
	period.end_ns = start_ns + (search->busy[end - 1].at + 1) * bin_ns;
	period.p75_ns = timeline_bin__quantile(&sum, 750);
	period.deviations = usual__deviations(usual, log((double)period.p75_ns));
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
	if (usual__is_exceeded(&usual, log((double)period.p75_ns)))
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

int slow_periods__find(const struct timeline *timeline, struct slow_period out[SLOW_PERIODS_MAX],
		       size_t *n)
{
	struct search search = {
		.busy = calloc(TIMELINE_BINS, sizeof(*search.busy)),
		.scratch = calloc(TIMELINE_BINS, sizeof(*search.scratch)),
	};
	int ret = search.busy && search.scratch ? prepare(&search, timeline) : -ENOMEM;

	*n = 0;
	if (!ret && search.n >= BINS_LEAST) {
		mark(&search);
		join(&search, out, n);
	}
	timeline__free(search.bins);
	free(search.busy);
	free(search.scratch);
	return ret;
}
