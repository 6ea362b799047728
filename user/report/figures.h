/* SPDX-License-Identifier: GPL-2.0-only */
/* The numbers of a series that are shown: of all the time since it began, or of an interval. */
#ifndef USER_REPORT_FIGURES_H
#define USER_REPORT_FIGURES_H

#include "drain/drain.h"

struct figures {
	/* As struct tm_series has them; in_flight: now, also for an interval. */
#define FIGURES_MEMBER(member, ...) __u64 member;
	TM_SERIES_SHOWN(FIGURES_MEMBER)
#undef FIGURES_MEMBER
	__u64 timed;	/* calls that were timed: of the others no time is known */
	__u64 bucketed; /* those of them that are in histograms: of the others no percentiles */
	__u64 sized;	/* calls whose size is known */
	__u64 times_ns[TM_TIMES];
	__u64 outer_ns[TM_OUTER_TIMES]; /* of library calls that are in no other one */
	__u64 p50_ns, p90_ns, p99_ns, p999_ns;
};

void figures__total(struct figures *out, const struct snapshot_series *series);

/* What came since before, which is the same series at an earlier read, or NULL if it is new. */
void figures__interval(struct figures *out, const struct snapshot_series *series,
		       const struct snapshot_series *before);

/* Adds what two series have, with the extremes; percentiles are left as they are. */
void figures__add(struct figures *to, const struct figures *from);

/* How many are in histograms, and their percentiles; minimum and maximum are there already. */
void figures__set_quantiles(struct figures *figures, const struct histogram *latency);

#endif
