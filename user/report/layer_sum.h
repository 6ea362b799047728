/* SPDX-License-Identifier: GPL-2.0-only */
/* The figures of all series of one layer together. */
#ifndef USER_REPORT_LAYER_SUM_H
#define USER_REPORT_LAYER_SUM_H

#include "report/figures.h"

struct layer_sum {
	size_t n;		/* series that were used */
	struct figures figures; /* with the extremes and percentiles of all their calls */
	/*
	 * The time that the layer took: of library calls their own, because of nested ones the
	 * time inside is in each; else all of it.
	 */
	__u64 time_ns;
};

#define LAYER_SUM_ALL (-1)

/* Of one function alone, by its number, or of LAYER_SUM_ALL. */
void layer_sum__of(struct layer_sum *out, const struct snapshot *snapshot, __u8 layer,
		   long function);

/* Of series first to end - 1. */
void layer_sum__make(struct layer_sum *out, const struct snapshot *snapshot, size_t first,
		     size_t end, __u8 layer);

/* The time in library calls that are not made in another one, of whatever layer. */
struct outermost_sum {
	__u64 total_ns;
	__u64 times_ns[TM_OUTER_TIMES]; /* where it went; the rest is code, and other calls */
	__u64 named_ns;			/* their sum */
};

void outermost_sum__make(struct outermost_sum *out, const struct snapshot *snapshot, size_t first,
			 size_t end);

#endif
