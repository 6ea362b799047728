/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ADDB2's counters and histograms: the first six words are the counter, two more the range, and the
 * other seven hold fourteen buckets of 32 bits.
 */
#ifndef USER_ADDB_HISTOGRAM_H
#define USER_ADDB_HISTOGRAM_H

#include <stdbool.h>
#include <stdio.h>
#include <linux/types.h>

#define ADDB_BUCKETS 14

/* Since the last snapshot. */
struct addb_counter {
	__u64 n;
	__s64 min, max;
	double mean, variance;
	__u64 datum; /* of the largest */
};

/* words: six */
void addb_counter__read(struct addb_counter *counter, const __u64 *words);

/* words: fifteen; bucket 0 is below the range, 13 above. */
__u32 addb_histogram__bucket(const __u64 *words, unsigned int bucket);
/* The lower edge of bucket 1 to 13, as the dump computes it. */
__s64 addb_histogram__edge(const __u64 *words, unsigned int bucket);

/* As the dump does: numbers in one line, then bars. Returns the characters. */
int addb_histogram__print(FILE *out, const __u64 *words, __u64 symbol_base, bool flat);
/* A function, by its distance; nothing for 0. Returns the characters. */
int addb_histogram__print_symbol(FILE *out, __u64 distance, __u64 symbol_base);

#endif
