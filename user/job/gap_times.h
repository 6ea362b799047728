/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When something was parked: gaps of the time, in a room of fixed size. Of those that are long ago,
 * two that follow one another become one, of which it is only known how much of it was a gap.
 */
#ifndef USER_JOB_GAP_TIMES_H
#define USER_JOB_GAP_TIMES_H

#include <stddef.h>
#include <linux/types.h>

#define GAP_TIMES 256

/* All 0: there was none. Times are of one clock, in ns. */
struct gap_times {
	struct gap_time {
		__u64 begin_ns, end_ns;
		__u64 ns; /* how much of it was a gap */
	} at[GAP_TIMES];
	size_t n;
};

/* One that is over. They come in the order of the time; one that ends before it begins is none. */
void gap_times__add(struct gap_times *times, __u64 begin_ns, __u64 end_ns);
/* How much of that time was in gaps: of those that were joined, as if they were even. */
__u64 gap_times__within(const struct gap_times *times, __u64 from_ns, __u64 to_ns);
/* The same of the last gap alone. */
double gap_times__last_ns(const struct gap_times *times, __u64 from_ns, __u64 to_ns);

#endif
