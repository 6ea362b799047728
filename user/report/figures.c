// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "drain/merge.h"
#include "report/figures.h"

void figures__set_quantiles(struct figures *figures, const struct histogram *latency)
{
	__u64 min = figures->min_ns, max = figures->max_ns;

	figures->bucketed = histogram__total(latency);
	figures->p50_ns = histogram__quantile(latency, 500, min, max);
	figures->p90_ns = histogram__quantile(latency, 900, min, max);
	figures->p99_ns = histogram__quantile(latency, 990, min, max);
	figures->p999_ns = histogram__quantile(latency, 999, min, max);
}

static void copy_counters(struct figures *out, const struct tm_series *total)
{
#define COPY(member, ...) .member = total->member,
	*out = (struct figures){ TM_SERIES_SHOWN(COPY) };
	memcpy(out->times_ns, total->times_ns, sizeof(out->times_ns));
	memcpy(out->outer_ns, total->outer_ns, sizeof(out->outer_ns));
}

/* Calls that are counted, and have no time; of what else there is nobody knows. */
static __u64 untimed(const struct tm_series *total)
{
	bool is_call = total->key.layer >= TM_LAYER_USER && !key__is_beside(&total->key);

	return is_call && total->untimed < total->count ? total->untimed : 0;
}

/* Those in the histogram; where some are in none: all that have a time, if any has, or a size. */
static __u64 count_measured(const struct figures *figures, const struct tm_series *total,
			    const struct tm_series *before, __u64 sum, __u64 bucketed)
{
	bool briefly = total->summed & TM_SUMMED_BRIEFLY;
	__u64 without = untimed(total) - (before ? untimed(before) : 0);

	return briefly && sum ? figures->count - without : bucketed;
}

void figures__total(struct figures *out, const struct snapshot_series *series)
{
	copy_counters(out, &series->total);
	figures__set_quantiles(out, &series->latency);
	out->timed = count_measured(out, &series->total, NULL, out->total_ns, out->bucketed);
	out->sized = count_measured(out, &series->total, NULL, out->bytes,
				    histogram__total(&series->size));
}

/*
 * An interval's extremes: exact where the series' own were set in it, else the edges of the
 * outermost buckets that got something.
 */
static void find_extremes(struct figures *out, const struct histogram *latency,
			  const struct tm_series *now, const struct tm_series *before)
{
	if (!latency->n)
		return;
	if (now->min_ns == before->min_ns && tm_bucket_lower(latency->first) > now->min_ns)
		out->min_ns = tm_bucket_lower(latency->first);
	if (now->max_ns == before->max_ns &&
	    tm_bucket_upper(latency->first + latency->n - 1) < now->max_ns)
		out->max_ns = tm_bucket_upper(latency->first + latency->n - 1);
}

#define SUBTRACT_SUM(to, from)	((to) -= (from))
#define SUBTRACT_OPEN(to, from) ((void)0)
#define SUBTRACT_MIN(to, from)	((void)0)
#define SUBTRACT_MAX(to, from)	((void)0)

static void subtract_counters(struct figures *out, const struct tm_series *old)
{
#define SUBTRACT(member, joins, ...) SUBTRACT_##joins(out->member, old->member);
	TM_SERIES_SHOWN(SUBTRACT)
	for (int i = 0; i < TM_TIMES; i++)
		out->times_ns[i] -= old->times_ns[i];
	for (int i = 0; i < TM_OUTER_TIMES; i++)
		out->outer_ns[i] -= old->outer_ns[i];
}

void figures__interval(struct figures *out, const struct snapshot_series *series,
		       const struct snapshot_series *before)
{
	__u64 count[TM_BUCKETS] = { 0 };
	const struct tm_series *old;
	struct histogram latency;

	if (!before) {
		figures__total(out, series);
		return;
	}
	old = &before->total;
	copy_counters(out, &series->total);
	subtract_counters(out, old);
	latency__since(count, series, before);
	latency = histogram__of(count);
	find_extremes(out, &latency, &series->total, old);
	figures__set_quantiles(out, &latency);
	out->timed = count_measured(out, &series->total, old, out->total_ns, out->bucketed);
	out->sized =
		count_measured(out, &series->total, old, out->bytes,
			       histogram__total(&series->size) - histogram__total(&before->size));
}

#define ADD_SUM(to, from)  ((to) += (from))
#define ADD_OPEN(to, from) ((to) += (from))
#define ADD_MIN(to, from)  ((void)0)
#define ADD_MAX(to, from)  ((void)0)

void figures__add(struct figures *to, const struct figures *from)
{
	if (from->timed && (!to->timed || from->min_ns < to->min_ns))
		to->min_ns = from->min_ns;
	if (from->timed && from->max_ns > to->max_ns)
		to->max_ns = from->max_ns;
#define ADD(member, joins, ...) ADD_##joins(to->member, from->member);
	TM_SERIES_SHOWN(ADD)
	to->timed += from->timed;
	to->bucketed += from->bucketed;
	to->sized += from->sized;
	for (int i = 0; i < TM_TIMES; i++)
		to->times_ns[i] += from->times_ns[i];
	for (int i = 0; i < TM_OUTER_TIMES; i++)
		to->outer_ns[i] += from->outer_ns[i];
}
