/* SPDX-License-Identifier: GPL-2.0-only */
/* A histogram as lines of text. */
#ifndef USER_REPORT_BARS_H
#define USER_REPORT_BARS_H

#include <stdio.h>

#include "drain/histogram.h"
#include "report/units.h"

/*
 * A line per bucket, from the first to the last that is not empty; with many of them a line per
 * power of two. unit is units__time or units__bytes. Nothing for an empty histogram.
 */
void bars__print(FILE *out, const char *title, const struct histogram *histogram,
		 const char *(*unit)(char out[UNITS_ROOM], __u64 value));

#endif
