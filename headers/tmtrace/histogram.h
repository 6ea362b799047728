/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one histogram of tmtrace, scheme "loglinear8": eight buckets per power of two, inclusive
 * upper edges, the same edges everywhere, so that histograms of threads, nodes and runs add up.
 *
 *   value 0             bucket 0
 *   values 1 .. 16      a bucket each
 *   2^k < v <= 2^(k+1)  eight buckets of 2^(k-3) values each, for k >= 3
 *
 * Compiled for BPF and for C: include <linux/types.h> or vmlinux.h first.
 */
#ifndef TMTRACE_HISTOGRAM_H
#define TMTRACE_HISTOGRAM_H

#define TM_HISTOGRAM_SCHEME  "loglinear8"
#define TM_BUCKETS_PER_POWER 8
/* Powers of two that have buckets: up to 2^42, 73 minutes in ns, 4 TiB in bytes. */
#define TM_BUCKET_POWERS 40
#define TM_BUCKETS	 (1 + TM_BUCKETS_PER_POWER * TM_BUCKET_POWERS)

/*
 * Position of the highest set bit of v, 0-63; v is not 0. No loop: BPF has no clz before v4. And no
 * comparison, which is a branch there: five are 32 ways that the verifier follows, in every program
 * that has a histogram. A sum carries where a half is not 0.
 */
static inline __attribute__((always_inline)) __u32 tm_log2(__u64 v)
{
	__u64 r, s;

	r = (((v >> 32) + 0xffffffffULL) >> 32) << 5;
	v >>= r;
	s = (((v >> 16) + 0xffff) >> 16) << 4;
	v >>= s;
	r |= s;
	s = (((v >> 8) + 0xff) >> 8) << 3;
	v >>= s;
	r |= s;
	s = (((v >> 4) + 0xf) >> 4) << 2;
	v >>= s;
	r |= s;
	s = (((v >> 2) + 0x3) >> 2) << 1;
	v >>= s;
	return (__u32)(r | s | v >> 1);
}

/* Bucket of a value, 0 .. TM_BUCKETS - 1; values beyond the last edge are in the last bucket. */
static inline __attribute__((always_inline)) __u32 tm_bucket_of(__u64 value)
{
	__u64 u = value - 1; /* makes the upper edge inclusive */
	__u32 log2, bucket;

	if (value == 0)
		return 0;
	if (u < TM_BUCKETS_PER_POWER)
		return (__u32)u + 1;
	log2 = tm_log2(u);
	bucket = 1 + ((log2 - 2) << 3) + ((__u32)(u >> (log2 - 3)) & (TM_BUCKETS_PER_POWER - 1));
	return bucket < TM_BUCKETS ? bucket : TM_BUCKETS - 1;
}

/* Largest value of a bucket; of the last one all 64 bits. */
static inline __u64 tm_bucket_upper(__u32 bucket)
{
	__u32 shift;

	if (bucket <= TM_BUCKETS_PER_POWER)
		return bucket;
	if (bucket >= TM_BUCKETS - 1)
		return ~0ULL;
	shift = (bucket - 1) / TM_BUCKETS_PER_POWER - 1;
	return (__u64)(TM_BUCKETS_PER_POWER + (bucket - 1) % TM_BUCKETS_PER_POWER + 1) << shift;
}

/* Smallest value of a bucket. */
static inline __u64 tm_bucket_lower(__u32 bucket)
{
	return bucket == 0 ? 0 : tm_bucket_upper(bucket - 1) + 1;
}

#endif
