/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of a snapshot that are of one job each. */
#ifndef USER_REPORT_JOBS_H
#define USER_REPORT_JOBS_H

#include <stdbool.h>

#include "drain/drain.h"
#include "report/report.h"

struct jobs {
	const struct snapshot *snapshot;
	size_t none;	   /* series of no job: they come first there, and last here */
	size_t first, end; /* of the job that it is at */
	bool after;	   /* it has come to those of none */
};

/* Before the first one. */
void jobs__start(struct jobs *jobs, const struct snapshot *snapshot);
/* Goes to the next one: series first to end - 1; false: there is none. */
bool jobs__next(struct jobs *jobs);
/* Is it to be said which one it is? Not of a cgroup that is all there is. */
bool jobs__need_title(const struct jobs *jobs, const struct report_run *run);
/* The job's id, 0: what is of none. */
__u64 jobs__id(const struct jobs *jobs);

#endif
