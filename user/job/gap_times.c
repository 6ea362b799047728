// SPDX-License-Identifier: GPL-2.0-only
#include "job/gap_times.h"

/* The older half has half as many. */
static void join(struct gap_times *times)
{
	size_t half = GAP_TIMES / 2, n = 0;

	for (size_t i = 0; i < half; i += 2) {
		struct gap_time *first = &times->at[i], *second = &times->at[i + 1];

		times->at[n++] = (struct gap_time){ .begin_ns = first->begin_ns,
						    .end_ns = second->end_ns,
						    .ns = first->ns + second->ns };
	}
	for (size_t i = half; i < times->n; i++)
		times->at[n++] = times->at[i];
	times->n = n;
}

void gap_times__add(struct gap_times *times, __u64 begin_ns, __u64 end_ns)
{
	if (end_ns <= begin_ns)
		return;
	if (times->n == GAP_TIMES)
		join(times);
	times->at[times->n++] = (struct gap_time){ .begin_ns = begin_ns,
						   .end_ns = end_ns,
						   .ns = end_ns - begin_ns };
}

static __u64 part_within(const struct gap_time *gap, __u64 from_ns, __u64 to_ns)
{
	__u64 begin = gap->begin_ns > from_ns ? gap->begin_ns : from_ns;
	__u64 end = gap->end_ns < to_ns ? gap->end_ns : to_ns;

	if (end <= begin)
		return 0;
	return (__u64)((double)gap->ns * (double)(end - begin) /
		       (double)(gap->end_ns - gap->begin_ns));
}

__u64 gap_times__within(const struct gap_times *times, __u64 from_ns, __u64 to_ns)
{
	__u64 ns = 0;

	for (size_t i = 0; i < times->n; i++)
		ns += part_within(&times->at[i], from_ns, to_ns);
	return ns;
}

double gap_times__last_ns(const struct gap_times *times, __u64 from_ns, __u64 to_ns)
{
	return times->n ? (double)part_within(&times->at[times->n - 1], from_ns, to_ns) : 0;
}
