/* SPDX-License-Identifier: GPL-2.0-only */
/* A histogram as lines of text. */
#ifndef USER_REPORT_BARS_H
#define USER_REPORT_BARS_H

#include <stddef.h>
#include <stdio.h>

#include "base/units.h"
#include "drain/histogram.h"

/* A line: buckets first to last, and how many are in them. */
struct bar {
	__u32 first, last;
	__u64 count;
};

/*
 * Fills at most room lines, from the first to the last bucket that is not empty, each of so many
 * buckets as have their edges at the same places in all histograms. Returns how many there would
 * be.
 */
size_t bars__lines(struct bar *out, size_t room, const struct histogram *histogram, __u32 per_line);
/* How many buckets a line has to be of, so that there are at most so many lines. */
__u32 bars__per_line(const struct histogram *histogram, size_t lines);

/*
 * A line per bucket, from the first to the last that is not empty; with many of them a line per
 * power of two. unit is units__time or units__bytes. Nothing for an empty histogram.
 */
void bars__print(FILE *out, const char *title, const struct histogram *histogram,
		 const char *(*unit)(char out[UNITS_ROOM], __u64 value));

#endif
