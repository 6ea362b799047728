// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/strings.h"
#include "report/combined_jobs.h"
#include "report/name_list.h"
#include "report/names.h"

struct combined_job {
	const char *path;
	struct job_info info;
	bool has_info;
};

/* A job of a part, which has that common number. */
struct met {
	const struct report_part *part;
	__u64 job, number;
};

struct combined_jobs {
	struct name_list list; /* of a job its name and kind, of another cgroup its path */
	struct combined_job *at;
	size_t n, room;
	struct strings strings;
	void *met; /* of struct met, tsearch(3) */
};

static int compare_met(const void *left, const void *right)
{
	const struct met *a = left, *b = right;

	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	return a->job < b->job ? -1 : a->job > b->job;
}

struct combined_jobs *combined_jobs__new(void)
{
	return calloc(1, sizeof(struct combined_jobs));
}

void combined_jobs__free(struct combined_jobs *jobs)
{
	if (!jobs)
		return;
	tdestroy(jobs->met, free);
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

static int add_job(struct combined_jobs *jobs, const char *path, const struct job_info *info)
{
	struct combined_job *job;

	if (array__grow((void **)&jobs->at, &jobs->room, jobs->n, sizeof(*jobs->at)) < 0)
		return -ENOMEM;
	job = &jobs->at[jobs->n++];
	*job = (struct combined_job){ .path = keep(jobs, path), .has_info = info };
	if (!job->path)
		return -ENOMEM;
	if (!info)
		return 0;
	job->info = *info;
	job->info.kind = keep(jobs, info->kind);
	job->info.jobid = keep(jobs, info->jobid);
	job->info.step = keep(jobs, info->step);
	job->info.sluid = keep(jobs, info->sluid);
	return !job->info.kind == !info->kind && !job->info.jobid == !info->jobid ? 0 : -ENOMEM;
}

static void keep_same(const char **text, const char *other)
{
	if (*text && (!other || strcmp(*text, other) != 0))
		*text = NULL;
}

static void add_known(__u64 *sum, __u64 more)
{
	if (*sum != JOB_UNKNOWN)
		*sum = more == JOB_UNKNOWN ? JOB_UNKNOWN : *sum + more;
}

/* On another node; memory is that of the node where it was most. */
static void merge(struct job_info *to, const struct job_info *from)
{
	keep_same(&to->step, from->step);
	if (!from->start_ns || (to->start_ns && from->start_ns < to->start_ns))
		to->start_ns = from->start_ns;
	if (!from->end_ns || (to->end_ns && from->end_ns > to->end_ns))
		to->end_ns = from->end_ns;
	add_known(&to->usage.cpu_ns, from->usage.cpu_ns);
	add_known(&to->usage.user_ns, from->usage.user_ns);
	add_known(&to->usage.system_ns, from->usage.system_ns);
	if (from->usage.memory_peak_bytes > to->usage.memory_peak_bytes)
		to->usage.memory_peak_bytes = from->usage.memory_peak_bytes;
}

static int find_or_add(struct combined_jobs *jobs, const struct report_part *part, __u64 job,
		       __u64 *out)
{
	const struct job_info *info = names__job(part->run, job);
	const char *path = names__cgroup(part->run, job);
	char unknown[256], kind[64];
	int number;

	/* One of a part alone. */
	snprintf(unknown, sizeof(unknown), "%llu of %s", job, part->name);
	if (!path)
		path = unknown;
	/* What the environment names is that user's alone. */
	if (info && info->is_named)
		snprintf(kind, sizeof(kind), "%s %u", info->kind, info->uid);
	if (job_info__is_job(info))
		number = name_list__number(&jobs->list, info->jobid,
					   info->is_named ? kind : info->kind);
	else
		number = name_list__number(&jobs->list, path, NULL);
	if (number < 0)
		return number;
	*out = (__u64)number + 1;
	if ((size_t)number == jobs->n)
		return add_job(jobs, path, info);
	keep_same(&jobs->at[number].path, path);
	if (info)
		merge(&jobs->at[number].info, info);
	return 0;
}

/* Each job of each part is added once. */
int combined_jobs__number(struct combined_jobs *jobs, const struct report_part *part, __u64 job,
			  __u64 *out)
{
	struct met wanted = { .part = part, .job = job }, *met;
	struct met **node = job ? tfind(&wanted, &jobs->met, compare_met) : NULL;
	int ret;

	*out = node ? (*node)->number : 0;
	if (!job || node)
		return 0;
	ret = find_or_add(jobs, part, job, out);
	met = ret ? NULL : malloc(sizeof(*met));
	if (!met)
		return -ENOMEM;
	wanted.number = *out;
	*met = wanted;
	if (tsearch(met, &jobs->met, compare_met))
		return 0;
	free(met);
	return -ENOMEM;
}

const char *combined_jobs__path(const struct combined_jobs *jobs, __u64 job)
{
	return job && job <= jobs->n ? jobs->at[job - 1].path : NULL;
}

const struct job_info *combined_jobs__info(const struct combined_jobs *jobs, __u64 job)
{
	return job && job <= jobs->n && jobs->at[job - 1].has_info ? &jobs->at[job - 1].info : NULL;
}
