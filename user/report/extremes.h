/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of several was slowest, which fastest, and what lies between them. */
#ifndef USER_REPORT_EXTREMES_H
#define USER_REPORT_EXTREMES_H

#include <stdio.h>
#include <linux/types.h>

struct extremes {
	const char *slowest, *fastest; /* names, from elsewhere */
	__u64 most_ns, median_ns, least_ns;
	__u64 sum_ns; /* of all; 0: the share of the slowest is not told */
};

/*
 * "slowest: NAME with 2 s, 40 % of all; median 1 s; fastest: NAME with 1 s", and the end of the
 * line.
 */
void extremes__print(FILE *out, const struct extremes *extremes);

/* The median of an even number of times, of which these are in the middle. */
static inline __u64 extremes__between(__u64 lower, __u64 upper)
{
	return lower + (upper - lower) / 2;
}

#endif
