// SPDX-License-Identifier: GPL-2.0-only
#ifndef _GNU_SOURCE
#endif
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "job/cgroup_events.h"
#include "job/job_patterns.h"
#include "job/job_table.h"
#include "target/cgroup_names.h"

/* A job, or the unit of one cgroup. */
struct job {
	struct job_match name; /* first: the tree of jobs compares kind and jobid */
	__u64 id;
	struct job_info info;
	bool several_steps;
};

/* A cgroup that was looked into; job NULL: it is of none. */
struct member {
	__u64 cgroup; /* first: the tree compares it */
	struct job *job;
	bool owns; /* the unit is its own */
};

struct job_table {
	struct cgroup_names *cgroups;
	struct cgroup_events *events;
	struct job_patterns *patterns;
	void *jobs;    /* of struct job, tsearch(3) */
	void *members; /* of struct member, the same */
};

static int compare_jobs(const void *left, const void *right)
{
	const struct job *a = left, *b = right;
	int order = strcmp(a->name.kind, b->name.kind);

	return order ? order : strcmp(a->name.jobid, b->name.jobid);
}

static int compare_members(const void *left, const void *right)
{
	const struct member *a = left, *b = right;

	return a->cgroup < b->cgroup ? -1 : a->cgroup > b->cgroup;
}

static void free_member(void *node)
{
	struct member *member = node;

	if (member->owns)
		free(member->job);
	free(member);
}

int job_table__open(struct job_table **out, const struct job_table_options *options,
		    struct error *err)
{
	struct job_table *table = calloc(1, sizeof(*table));
	int ret;

	if (!table)
		return error__set(err, -ENOMEM, "no memory");
	ret = job_patterns__new(&table->patterns, err);
	if (!ret && options->patterns)
		ret = job_patterns__read(table->patterns, options->patterns, err);
	if (!ret)
		ret = cgroup_names__open(&table->cgroups, options->mount, err);
	if (!ret)
		ret = cgroup_events__open(&table->events, options->events, table->cgroups, err);
	/* After the events: what is made meanwhile is in one of both. */
	if (!ret && options->walk)
		ret = cgroup_names__refresh(table->cgroups);
	if (ret) {
		job_table__close(table);
		return ret;
	}
	*out = table;
	return 0;
}

void job_table__close(struct job_table *table)
{
	if (!table)
		return;
	cgroup_events__close(table->events);
	cgroup_names__close(table->cgroups);
	job_patterns__free(table->patterns);
	tdestroy(table->members, free_member);
	tdestroy(table->jobs, free);
	free(table);
}

int job_table__fd(const struct job_table *table)
{
	return cgroup_events__fd(table->events);
}

void job_table__read(struct job_table *table)
{
	cgroup_events__read(table->events);
}

static struct job *new_job(const struct job_match *name, __u64 id)
{
	struct job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	job->name = *name;
	job->id = id;
	job->info = (struct job_info){ .kind = job->name.kind, .jobid = job->name.jobid };
	if (job->name.step[0])
		job->info.step = job->name.step;
	return job;
}

/* Another cgroup of it, of that step. */
static void add_step(struct job *job, const char *step)
{
	if (!*step || job->several_steps)
		return;
	if (!job->info.step) {
		memcpy(job->name.step, step, strlen(step) + 1);
		job->info.step = job->name.step;
	} else if (strcmp(step, job->info.step) != 0) {
		job->several_steps = true;
		job->info.step = NULL;
	}
}

/* The job of a cgroup at that path; a new one has the id of its own directory. */
static struct job *find_or_add(struct job_table *table, const struct job_match *match,
			       const char *path, __u64 cgroup)
{
	struct job *job, **node = tfind(match, &table->jobs, compare_jobs);
	__u64 id;

	if (node) {
		add_step(*node, match->step);
		return *node;
	}
	if (cgroup_names__find(table->cgroups, path, match->directory, &id) < 0)
		id = cgroup; /* the first that was seen stands for it */
	job = new_job(match, id);
	if (job && !tsearch(job, &table->jobs, compare_jobs)) {
		free(job);
		return NULL;
	}
	return job;
}

/* Looks into a cgroup for the first time; NULL: its path is not known, or no memory. */
static const struct member *meet(struct job_table *table, __u64 cgroup)
{
	struct member *member;
	struct job_match match;
	const char *path;

	cgroup_events__read(table->events);
	path = cgroup_names__path(table->cgroups, cgroup);
	member = path ? calloc(1, sizeof(*member)) : NULL;
	if (!member)
		return NULL;
	member->cgroup = cgroup;
	if (job_patterns__match(table->patterns, path, &match)) {
		member->job = find_or_add(table, &match, path, cgroup);
	} else if (job_patterns__unit(path, &match)) {
		member->job = new_job(&match, cgroup);
		member->owns = true;
	}
	if (tsearch(member, &table->members, compare_members))
		return member;
	free_member(member);
	return NULL;
}

static const struct job *job_of(struct job_table *table, __u64 cgroup)
{
	const struct member *const *node = tfind(&cgroup, &table->members, compare_members);
	const struct member *member = node ? *node : meet(table, cgroup);

	return member ? member->job : NULL;
}

static __u64 map_job(void *context, __u64 cgroup)
{
	const struct job *job = job_of(context, cgroup);

	return job ? job->id : cgroup;
}

struct job_map job_table__map(struct job_table *table)
{
	return (struct job_map){ .of = map_job, .context = table };
}

const struct job_info *job_table__info(struct job_table *table, __u64 job)
{
	const struct job *found = job_of(table, job);

	return found ? &found->info : NULL;
}

const char *job_table__path(struct job_table *table, __u64 job)
{
	return cgroup_names__path(table->cgroups, job);
}
