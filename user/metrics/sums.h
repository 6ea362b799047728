/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The numbers of one row of the metrics: what series that are shown as one add up to. Counters are
 * 64 bits that wrap, so that what was taken away can be added again in any order.
 */
#ifndef USER_METRICS_SUMS_H
#define USER_METRICS_SUMS_H

#include <stdbool.h>

#include "drain/drain.h"

/*
 * Upper edges of the histograms, inclusive: 2^10 ns to 2^36 ns, 1 us to 69 s, each four times the
 * one before. They are edges of every histogram of tmtrace, so that no count has to be divided.
 */
#define METRIC_EDGES 14

struct metric_counters {
#define METRIC_COUNTER(member, ...) __u64 member;
	TM_SERIES_COUNTS(METRIC_COUNTER)
#undef METRIC_COUNTER
	__u64 own_ns; /* libraries: without traced calls inside; else all of it */
	__u64 total_ns, queue_ns;
	__u64 times_ns[TM_TIMES]; /* of operations by enum tm_operation_time */
	__u64 task_io[TM_TASK_IO_COUNTS];
	__u64 missed[TM_MISSED]; /* of these */
	/* Of the time in which jobs were there, what a function was parked for; calls meanwhile. */
	__u64 span_ns, parked_ns, unseen;
	/* By edge, those above the edge before; the last ones are above all edges. */
	__u64 buckets[METRIC_EDGES + 1];
};

struct metric_sums {
	struct metric_counters counters;
	__u64 in_flight; /* now */
};

extern const __u64 metric_edges_ns[METRIC_EDGES];

void metric_sums__add_series(struct metric_sums *to, const struct snapshot_series *series);
/* The same of a series with what was not seen of those. */
void metric_sums__add_unseen(struct metric_sums *to, const struct tm_series *total);
void metric_sums__add(struct metric_sums *to, const struct metric_sums *from);

void metric_counters__add(struct metric_counters *to, const struct metric_counters *from);
void metric_counters__subtract(struct metric_counters *to, const struct metric_counters *from);

/* Calls that are in the histogram. */
__u64 metric_counters__bucketed(const struct metric_counters *counters);

/* How long they kept somebody busy, in ns, which is what rows are chosen by. */
__u64 metric_counters__weight(const struct metric_counters *counters);

#endif
