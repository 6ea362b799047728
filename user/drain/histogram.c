// SPDX-License-Identifier: GPL-2.0-only
#include "drain/histogram.h"

struct histogram histogram__of(const __u64 count[TM_BUCKETS])
{
	__u32 first = 0, end = TM_BUCKETS;

	while (end > 0 && !count[end - 1])
		end--;
	while (first < end && !count[first])
		first++;
	return (struct histogram){ .first = first, .n = end - first, .count = count + first };
}

__u64 histogram__total(const struct histogram *histogram)
{
	__u64 total = 0;

	for (__u32 i = 0; i < histogram->n; i++)
		total += histogram->count[i];
	return total;
}

void histogram__add(__u64 count[TM_BUCKETS], const struct histogram *histogram)
{
	for (__u32 i = 0; i < histogram->n; i++)
		count[histogram->first + i] += histogram->count[i];
}

void histogram__subtract(__u64 count[TM_BUCKETS], const struct histogram *histogram)
{
	for (__u32 i = 0; i < histogram->n; i++) {
		__u64 *left = &count[histogram->first + i];

		*left -= histogram->count[i] < *left ? histogram->count[i] : *left;
	}
}

/* The value of rank 1 .. n among n values spread evenly over a bucket. */
static __u64 interpolate(__u32 bucket, __u64 rank, __u64 n, __u64 min, __u64 max)
{
	__u64 low = tm_bucket_lower(bucket), high = tm_bucket_upper(bucket);

	if (low < min)
		low = min;
	if (high > max)
		high = max;
	if (high <= low) /* min and max are not of the same moment as the counts */
		return high < min ? min : high;
	return low + (__u64)((unsigned __int128)(high - low) * rank / n);
}

__u64 histogram__quantile(const struct histogram *histogram, unsigned int per_mille, __u64 min,
			  __u64 max)
{
	__u64 total = histogram__total(histogram), rank, below = 0;

	if (!total)
		return 0;
	rank = ((unsigned __int128)total * per_mille + 999) / 1000;
	if (rank == 0)
		return min;
	for (__u32 i = 0; i < histogram->n; i++) {
		__u64 n = histogram->count[i];

		if (n && below + n >= rank)
			return interpolate(histogram->first + i, rank - below, n, min, max);
		below += n;
	}
	return max;
}
