/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arithmetic on the counts of the buckets of headers/tmtrace/histogram.h. Counts are kept from the
 * first to the last bucket that is not empty: ten thousand series fit in a few megabytes.
 */
#ifndef USER_DRAIN_HISTOGRAM_H
#define USER_DRAIN_HISTOGRAM_H

#include <linux/types.h>

#include "tmtrace/histogram.h"

/* A view of counts that belong to somebody else: bucket first + i has count[i]. */
struct histogram {
	__u32 first, n;
	const __u64 *count;
};

/* The view of an array of all buckets, without the empty ones at both ends. */
struct histogram histogram__of(const __u64 count[TM_BUCKETS]);

__u64 histogram__total(const struct histogram *histogram);

/* Adds to, or takes from, an array of all buckets; nothing falls below 0. */
void histogram__add(__u64 count[TM_BUCKETS], const struct histogram *histogram);
void histogram__subtract(__u64 count[TM_BUCKETS], const struct histogram *histogram);

/*
 * The value of rank ceil(total * per_mille / 1000), interpolated inside its bucket, and so within
 * one bucket of the truth; never outside of min and max, which are exact. 0 where total is 0.
 */
__u64 histogram__quantile(const struct histogram *histogram, unsigned int per_mille, __u64 min,
			  __u64 max);

#endif
