// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "drain/formulas.h"
#include "metrics/sums.h"
#include "report/kernel_io.h"

#define FIRST_EDGE 10 /* 2^10 ns */
#define EDGE_STEP  2  /* powers of two from one edge to the next */

/* What a call weighs beside its time: many short ones are work, too. */
#define CALL_NS 1000

#define N_COUNTERS (sizeof(struct metric_counters) / sizeof(__u64))

#define EDGE(i) (1ULL << (FIRST_EDGE + EDGE_STEP * (i)))

const __u64 metric_edges_ns[METRIC_EDGES] = {
	EDGE(0), EDGE(1), EDGE(2), EDGE(3),  EDGE(4),  EDGE(5),	 EDGE(6),
	EDGE(7), EDGE(8), EDGE(9), EDGE(10), EDGE(11), EDGE(12), EDGE(13),
};

/* The first edge that is not below a bucket's largest value; METRIC_EDGES: none is. */
static unsigned int edge_of(__u32 bucket)
{
	__u64 upper = tm_bucket_upper(bucket);
	__u32 log2 = upper > 1 ? tm_log2(upper - 1) + 1 : 0; /* 2^log2 >= upper */
	__u32 edge = log2 <= FIRST_EDGE ? 0 : (log2 - FIRST_EDGE + EDGE_STEP - 1) / EDGE_STEP;

	return edge < METRIC_EDGES ? edge : METRIC_EDGES;
}

static void add_buckets(struct metric_counters *to, const struct histogram *latency)
{
	for (__u32 i = 0; i < latency->n; i++)
		if (latency->count[i])
			to->buckets[edge_of(latency->first + i)] += latency->count[i];
}

void metric_sums__add_series(struct metric_sums *to, const struct snapshot_series *series)
{
	const struct tm_series *total = &series->total;
	struct metric_counters *counters = &to->counters;
	struct tm_task_io io;

	if (kernel_io__of(&io, total)) {
		for (int i = 0; i < TM_TASK_IO_COUNTS; i++)
			counters->task_io[i] += io.count[i];
		for (__u32 i = 0; i < TM_MISSED; i++)
			counters->missed[i] += *series__missed((struct tm_series *)total, i);
		return;
	}
#define ADD(member, ...) counters->member += total->member;
	TM_SERIES_COUNTS(ADD)
	counters->own_ns += series__own_ns(total);
	counters->total_ns += total->total_ns;
	if (key__is_operation(&total->key)) {
		for (int i = 0; i < TM_OPERATION_TIMES; i++)
			counters->times_ns[i] += total->operation_ns[i];
	} else {
		counters->queue_ns += total->queue_ns;
		for (int i = 0; i < TM_TIMES; i++)
			counters->times_ns[i] += total->times_ns[i];
	}
	add_buckets(counters, &series->latency);
	to->in_flight += total->in_flight;
}

void metric_sums__add_unseen(struct metric_sums *to, const struct tm_series *total)
{
	struct tm_series *from = (struct tm_series *)total;

	to->counters.span_ns += *series__unseen(from, TM_UNSEEN_SPAN_NS);
	to->counters.parked_ns += *series__unseen(from, TM_UNSEEN_MISSED_NS);
	to->counters.unseen += *series__unseen(from, TM_UNSEEN_COUNT);
}

/* All of its members are numbers of the same kind. */
void metric_counters__add(struct metric_counters *to, const struct metric_counters *from)
{
	__u64 values[N_COUNTERS], more[N_COUNTERS];

	memcpy(values, to, sizeof(values));
	memcpy(more, from, sizeof(more));
	for (size_t i = 0; i < N_COUNTERS; i++)
		values[i] += more[i];
	memcpy(to, values, sizeof(values));
}

void metric_counters__subtract(struct metric_counters *to, const struct metric_counters *from)
{
	__u64 values[N_COUNTERS], less[N_COUNTERS];

	memcpy(values, to, sizeof(values));
	memcpy(less, from, sizeof(less));
	for (size_t i = 0; i < N_COUNTERS; i++)
		values[i] -= less[i];
	memcpy(to, values, sizeof(values));
}

void metric_sums__add(struct metric_sums *to, const struct metric_sums *from)
{
	metric_counters__add(&to->counters, &from->counters);
	to->in_flight += from->in_flight;
}

__u64 metric_counters__bucketed(const struct metric_counters *counters)
{
	__u64 sum = 0;

	for (size_t i = 0; i <= METRIC_EDGES; i++)
		sum += counters->buckets[i];
	return sum;
}

__u64 metric_counters__weight(const struct metric_counters *counters)
{
	return counters->own_ns + counters->count * CALL_NS;
}
