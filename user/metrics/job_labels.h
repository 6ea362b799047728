/* SPDX-License-Identifier: GPL-2.0-only */
/* What a job is called in metrics. */
#ifndef USER_METRICS_JOB_LABELS_H
#define USER_METRICS_JOB_LABELS_H

#include "report/report.h"

/*
 * Its labels, to be freed; NULL without memory: "job", its scheduler's name for it, else its
 * cgroup's path; "uid", whose it is, where only the environment of its processes names it, which
 * anybody may set.
 */
char *metrics_job__labels(const struct report_run *run, __u64 job);

#endif
