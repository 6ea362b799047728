// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>

#include "metrics/job_labels.h"
#include "metrics/labels.h"
#include "report/names.h"

/* What could not be attributed to a job. */
#define JOB_NONE "none"

static const char *name_of(const struct report_run *run, __u64 job, const struct job_info *info,
			   char number[32])
{
	const char *path;

	if (!job)
		return JOB_NONE;
	if (job_info__is_job(info)) /* the others, too */
		return info->jobid;
	path = names__cgroup(run, job);
	if (path)
		return path;
	snprintf(number, 32, "cgroup:%llu", job);
	return number;
}

char *metrics_job__labels(const struct report_run *run, __u64 job)
{
	const struct job_info *info = names__job(run, job);
	struct metrics_labels labels = { 0 };
	char number[32];

	metrics_labels__add(&labels, "job", name_of(run, job, info, number));
	if (info && info->is_named) {
		snprintf(number, sizeof(number), "%u", info->uid);
		metrics_labels__add(&labels, "uid", number);
	}
	if (labels.failed)
		metrics_labels__free(&labels);
	return labels.text;
}
