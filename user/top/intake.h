/* SPDX-License-Identifier: GPL-2.0-only */
/* From a snapshot, and the one before, to an interval. */
#ifndef USER_TOP_INTAKE_H
#define USER_TOP_INTAKE_H

#include "report/report.h"
#include "top/interval.h"
#include "top/usage.h"

struct top_intake {
	struct top_names *names; /* must outlive it */
	struct top_usage *usage;
	const struct report_run *run;
	const struct snapshot *snapshot;
	struct top_cost cost;
	double seconds;
	/* Which jobs are asked for; NULL: none. */
	bool (*is_chosen)(void *context, const struct report_run *run, __u64 job);
	void *context;
};

/*
 * 0 and *out, with one user, or -ENOMEM. like: an interval a moment before, whose names are still
 * right for the same functions; NULL: none.
 */
int top_intake__take(const struct top_intake *intake, const struct top_interval *like,
		     struct top_interval **out);

#endif
