// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "catalogue/strings.h"
#include "report/combined_jobs.h"
#include "report/name_list.h"
#include "report/names.h"

struct combined_job {
	const char *path;
	struct job_info info; /* kind NULL: none */
};

struct combined_jobs {
	struct name_list list; /* of a job its name and kind, of another cgroup its path */
	struct combined_job *at;
	size_t n, room;
	struct strings strings;
};

struct combined_jobs *combined_jobs__new(void)
{
	return calloc(1, sizeof(struct combined_jobs));
}

void combined_jobs__free(struct combined_jobs *jobs)
{
	if (!jobs)
		return;
	name_list__free(&jobs->list);
	strings__free(&jobs->strings);
	free(jobs->at);
	free(jobs);
}

/* A copy that stays; NULL of NULL. */
static const char *keep(struct combined_jobs *jobs, const char *text)
{
	return text ? strings__keep(&jobs->strings, text) : NULL;
}

static int add(struct combined_jobs *jobs, const char *path, const struct job_info *info)
{
	struct combined_job *job;

	if (array__grow((void **)&jobs->at, &jobs->room, jobs->n, sizeof(*jobs->at)) < 0)
		return -ENOMEM;
	job = &jobs->at[jobs->n++];
	*job = (struct combined_job){ .path = keep(jobs, path) };
	if (!info)
		return path && !job->path ? -ENOMEM : 0;
	job->info.kind = keep(jobs, info->kind);
	job->info.jobid = keep(jobs, info->jobid);
	job->info.step = keep(jobs, info->step);
	return job->info.kind && job->info.jobid ? 0 : -ENOMEM;
}

static void keep_same(const char **text, const char *other)
{
	if (*text && (!other || strcmp(*text, other) != 0))
		*text = NULL;
}

int combined_jobs__number(struct combined_jobs *jobs, const struct report_part *part, __u64 job,
			  __u64 *out)
{
	const struct job_info *info = names__job(part->run, job);
	const char *path = names__cgroup(part->run, job);
	char unknown[256];
	int number;

	*out = 0;
	if (!job)
		return 0;
	/* One of a part alone. */
	snprintf(unknown, sizeof(unknown), "%llu of %s", job, part->name);
	if (!path)
		path = unknown;
	if (job_info__is_job(info))
		number = name_list__number(&jobs->list, info->jobid, info->kind);
	else
		number = name_list__number(&jobs->list, path, NULL);
	if (number < 0)
		return number;
	*out = (__u64)number + 1;
	if ((size_t)number == jobs->n)
		return add(jobs, path, info);
	keep_same(&jobs->at[number].path, path);
	keep_same(&jobs->at[number].info.step, info ? info->step : NULL);
	return 0;
}

const char *combined_jobs__path(const struct combined_jobs *jobs, __u64 job)
{
	return job && job <= jobs->n ? jobs->at[job - 1].path : NULL;
}

const struct job_info *combined_jobs__info(const struct combined_jobs *jobs, __u64 job)
{
	return job && job <= jobs->n && jobs->at[job - 1].info.kind ? &jobs->at[job - 1].info
								    : NULL;
}
