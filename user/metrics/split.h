/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which functions and devices of a job have a row of their own: where there are too many, the
 * busiest; the others are one row for each kind and layer. All rows together are exact, and no
 * counter falls as long as its row is there.
 */
#ifndef USER_METRICS_SPLIT_H
#define USER_METRICS_SPLIT_H

#include "metrics/rows.h"

struct metrics_split {
	const struct report_run *run;
	size_t samples;	    /* the most of all rows */
	__u64 now_ns;	    /* CLOCK_REALTIME */
	__u64 since_ns;	    /* of the job's rows */
	__u64 restarted_ns; /* what others had before is not known; 0: it is */
};

/*
 * From rows for each function, and those that were shown before, makes those that are shown: out,
 * which is empty. 0 or -ENOMEM.
 */
int metrics_split__make(const struct metrics_split *split, const struct metric_rows *all,
			const struct metric_rows *before, struct metric_rows *out);

#endif
