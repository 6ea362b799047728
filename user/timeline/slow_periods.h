/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Periods in which a layer was slower than it usually is in the same run, and whether it had more
 * to do then.
 * Compared are the 75th percentiles of bins, see usual.h, and a higher one where fewer calls
 * usually take half of the time: those of a disk among those of a cache.
 */
#ifndef USER_TIMELINE_SLOW_PERIODS_H
#define USER_TIMELINE_SLOW_PERIODS_H

#include <stdbool.h>
#include <stddef.h>

#include "timeline/timeline.h"

/* As many are told of a timeline, those that stand out most. */
#define SLOW_PERIODS_MAX 3

struct slow_period {
	__u64 start_ns, end_ns;	    /* since 1970 */
	int percentile;		    /* of the latencies that are compared */
	__u64 latency_ns, usual_ns; /* in it, and usually */
	double deviations;	    /* how many usual deviations it is above */
	double load;		    /* calls in a second, as multiple of what is usual */
	bool by_load;		    /* the load went up, too: that explains it */
};

/*
 * *n of them in out, those that came first first. None where there are too few calls, or too short
 * a time, to know what is usual. 0 or -ENOMEM.
 */
int slow_periods__find(const struct timeline *timeline, struct slow_period out[SLOW_PERIODS_MAX],
		       size_t *n);

#endif
