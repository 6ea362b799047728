// SPDX-License-Identifier: GPL-2.0-only
#ifndef _GNU_SOURCE
#endif
#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/id_map.h"
#include "job/cgroup_events.h"
#include "job/cgroup_lives.h"
#include "job/cgroup_usage.h"
#include "job/job_env.h"
#include "job/job_patterns.h"
#include "job/job_table.h"
#include "target/cgroup_names.h"
#include "target/files.h"

struct member;

/* A job, or a cgroup that is of none. */
struct job {
	struct job_match name; /* first: the tree of jobs compares kind and jobid */
	__u64 id;
	struct job_info info;
	__u64 directory;	  /* id of its cgroup; another one after it was requeued */
	struct job_usage own;	  /* of that */
	struct job_usage earlier; /* of those before */
	bool several_steps;
	char told[START_ENV_JOBID + 1]; /* what its environment calls it; empty: not known */
	__u64 read_ns;			/* CLOCK_MONOTONIC: when usage was read */
	struct member *members;
};

/* A cgroup that was looked into. */
struct member {
	__u64 cgroup;
	struct job *job;
	bool owns;	     /* the job is itself */
	char *step;	     /* of the job; NULL: none */
	struct member *next; /* of the job's */
};

struct job_table {
	struct cgroup_names *cgroups;
	struct cgroup_lives *lives;
	struct cgroup_events *events;
	struct job_patterns *patterns;
	struct env_jobs *env; /* NULL: none */
	char *mount;
	bool is_urgent;	       /* what has been used is told to somebody who asks */
	__u64 stale_ns;	       /* CLOCK_MONOTONIC: what was read of usage before is read anew */
	void *jobs;	       /* of struct job, tsearch(3) */
	void *named;	       /* of those that the environment names, the same */
	struct id_map members; /* of struct member, by cgroup */
	struct job_info shown; /* of the cgroup of a step that was asked for */
};

static int compare_jobs(const void *left, const void *right)
{
	const struct job *a = left, *b = right;
	int order = strcmp(a->name.kind, b->name.kind);

	return order ? order : strcmp(a->name.jobid, b->name.jobid);
}

/* Anybody may take the name of another one's job. */
static int compare_named(const void *left, const void *right)
{
	const struct job *a = left, *b = right;

	if (a->info.uid != b->info.uid)
		return a->info.uid < b->info.uid ? -1 : 1;
	return compare_jobs(left, right);
}

static void free_member(void *node)
{
	struct member *member = node;

	if (member->owns)
		free(member->job);
	free(member->step);
	free(member);
}

static int prepare(struct job_table *table, const char *mount, struct error *err)
{
	table->lives = cgroup_lives__new();
	table->mount = strdup(mount);
	return table->lives && table->mount ? 0 : error__set(err, -ENOMEM, "no memory");
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
		ret = prepare(table, options->mount, err);
	if (!ret)
		ret = cgroup_events__open(&table->events, options->events, table->cgroups,
					  table->lives, err);
	if (!ret && options->named)
		ret = env_jobs__open(&table->env, options->named, err);
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
	env_jobs__close(table->env);
	cgroup_lives__free(table->lives);
	cgroup_names__close(table->cgroups);
	free(table->mount);
	job_patterns__free(table->patterns);
	id_map__clear(&table->members, free_member);
	tdestroy(table->jobs, free);
	tdestroy(table->named, free);
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
	job->directory = id;
	job->own = job_usage__unknown();
	job->info = (struct job_info){ .usage = job->own };
	if (name->kind[0]) {
		job->info.kind = job->name.kind;
		job->info.jobid = job->name.jobid;
		job->info.sluid = job->name.is_sluid ? job->name.jobid : NULL;
	}
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

/*
 * What was read of a cgroup's files is good for that long, and longer where there are so many that
 * this would take more readings in a second.
 */
#define USAGE_NS     (5 * NS_PER_S)
#define USAGES_PER_S 40

/* By ticks it is known how much of the time was in the kernel; cpu.stat tells it so, too. */
static void divide(struct job_usage *usage, __u64 user_ticks, __u64 system_ticks)
{
	double ticks = (double)user_ticks + (double)system_ticks;

	usage->system_ns = 0;
	if (ticks > 0)
		usage->system_ns = (__u64)((double)usage->cpu_ns * ((double)system_ticks / ticks));
	usage->user_ns = usage->cpu_ns - usage->system_ns;
}

/* Of what is gone, the kernel told all if it was seen to begin. */
static void take_end(struct job *job, const struct cgroup_life *life)
{
	job->info.end_ns = life->end_ns;
	if (life->usage.memory_peak_bytes != JOB_UNKNOWN)
		job->own.memory_peak_bytes = life->usage.memory_peak_bytes;
	if (life->usage.cpu_ns == JOB_UNKNOWN)
		return;
	job->own.cpu_ns = life->usage.cpu_ns;
	divide(&job->own, life->usage.user_ns, life->usage.system_ns);
}

/* Where its path has a SLUID, its processes know what it is called. */
static void ask_environment(const struct job_table *table, struct job *job, const char *path)
{
	char dir[PATH_MAX];

	if (files__path(dir, sizeof(dir), "%s%s", table->mount, path) == 0 &&
	    job_env__ask(dir, job->told))
		job->info.jobid = job->told;
}

static __u64 usage_ns(const struct job_table *table)
{
	__u64 all_ns = table->members.n * (NS_PER_S / USAGES_PER_S);

	return all_ns > USAGE_NS && !table->is_urgent ? all_ns : USAGE_NS;
}

static void read_usage(struct job_table *table, struct job *job)
{
	__u64 now = clock__ns(CLOCK_MONOTONIC);
	const char *path;

	if (job->read_ns > table->stale_ns && now - job->read_ns < usage_ns(table))
		return;
	job->read_ns = now;
	path = cgroup_names__path(table->cgroups, job->directory);
	/* The root's are the machine's. */
	if (path && strcmp(path, "/") != 0)
		cgroup_usage__read(table->mount, path, &job->own);
	if (path && job->info.sluid && !job->told[0])
		ask_environment(table, job, path);
}

static __u64 sum_of(__u64 a, __u64 b)
{
	return a == JOB_UNKNOWN || b == JOB_UNKNOWN ? JOB_UNKNOWN : a + b;
}

static struct job_usage all_of(const struct job_usage *a, const struct job_usage *b)
{
	return (struct job_usage){
		.cpu_ns = sum_of(a->cpu_ns, b->cpu_ns),
		.user_ns = sum_of(a->user_ns, b->user_ns),
		.system_ns = sum_of(a->system_ns, b->system_ns),
		.memory_peak_bytes = a->memory_peak_bytes > b->memory_peak_bytes
					     ? a->memory_peak_bytes
					     : b->memory_peak_bytes,
	};
}

/* It is over when all are that have the name; 0: it is not. */
static __u64 end_of_named(const struct job_table *table, const struct job *job)
{
	__u64 last = 0;

	for (const struct member *member = job->members; member; member = member->next) {
		const struct tm_env_job *env = env_jobs__at(table->env, member->cgroup);
		__u64 end_ns = env ? env_jobs__end(env) : 1;

		if (!end_ns)
			return 0;
		if (end_ns > last)
			last = end_ns;
	}
	return last;
}

/* When it began and ended, and what it has used so far. */
static void update(struct job_table *table, struct job *job)
{
	struct cgroup_life life = { 0 };

	if (job->info.is_named)
		job->info.end_ns = end_of_named(table, job);
	if (job->info.end_ns || job->info.is_named)
		return;
	if (cgroup_lives__find(table->lives, job->directory, &life) && !job->info.start_ns)
		job->info.start_ns = life.start_ns;
	if (life.end_ns)
		take_end(job, &life);
	else
		read_usage(table, job);
	job->info.usage = all_of(&job->earlier, &job->own);
}

/* Another directory of it: it was ended, and goes on. */
static void requeue(struct job_table *table, struct job *job, __u64 directory)
{
	update(table, job);
	job->earlier = job->info.usage;
	job->own = job_usage__unknown();
	job->directory = directory;
	job->info.end_ns = 0;
	job->read_ns = 0;
}

/* How many levels a path goes on behind its first bytes. */
static int levels_below(const char *path, size_t bytes)
{
	int levels = 0;

	for (path += bytes; *path; path++)
		levels += *path == '/';
	return levels;
}

/* The job of a cgroup at that path; a new one has the id of its own directory. */
static struct job *find_or_add(struct job_table *table, const struct job_match *match,
			       const char *path, __u64 cgroup)
{
	struct job *job, **node = tfind(match, &table->jobs, compare_jobs);
	bool found;
	__u64 id;

	found = cgroup_lives__above(table->lives, cgroup, levels_below(path, match->directory),
				    &id) ||
		cgroup_names__find(table->cgroups, path, match->directory, &id) == 0;
	if (node) {
		add_step(*node, match->step);
		/* The kernel gives ids in order: an older one is that of before. */
		if (found && id > (*node)->directory)
			requeue(table, *node, id);
		return *node;
	}
	if (!found)
		id = cgroup; /* the first that was seen stands for it */
	job = new_job(match, id);
	if (job && !tsearch(job, &table->jobs, compare_jobs)) {
		free(job);
		return NULL;
	}
	return job;
}

static const struct member *add_member(struct job_table *table, struct member *member)
{
	if (member->job && !id_map__add(&table->members, member->cgroup, member)) {
		member->next = member->job->members;
		member->job->members = member;
		return member;
	}
	free_member(member);
	return NULL;
}

/* The job that is named so. */
static struct job *find_or_name(struct job_table *table, const struct tm_env_job *env,
				const char *kind, __u64 number)
{
	struct job_match match = { 0 };
	struct job *job, **node;

	snprintf(match.kind, sizeof(match.kind), "%s", kind);
	snprintf(match.jobid, sizeof(match.jobid), "%.*s", (int)sizeof(env->name.jobid),
		 env->name.jobid);
	job = new_job(&match, number);
	if (!job)
		return NULL;
	job->info.is_named = true;
	job->info.uid = env->name.uid;
	node = tsearch(job, &table->named, compare_named);
	if (!node || *node != job)
		free(job);
	return node ? *node : NULL;
}

static const struct member *member_of(struct job_table *table, __u64 cgroup);

/* The same of a number; in a job's cgroup it is that job's, whatever the environment says. */
static const struct member *meet_named(struct job_table *table, __u64 number)
{
	const struct tm_env_job *env = table->env ? env_jobs__at(table->env, number) : NULL;
	const struct member *around = env ? member_of(table, env->name.cgroup) : NULL;
	const char *kind = env ? env_jobs__kind(env) : NULL;
	struct member *member = around || kind ? calloc(1, sizeof(*member)) : NULL;

	if (!member)
		return NULL;
	member->cgroup = number;
	if (around && (!kind || job_info__is_job(&around->job->info))) {
		member->job = around->job;
		member->step = around->step ? strdup(around->step) : NULL;
	} else {
		member->job = find_or_name(table, env, kind, number);
	}
	return add_member(table, member);
}

/* Looks into a cgroup for the first time; NULL: its path is not known, or no memory. */
static const struct member *meet(struct job_table *table, __u64 cgroup)
{
	struct member *member;
	struct job_match match = { 0 };
	const char *path;

	cgroup_events__read(table->events);
	path = cgroup_names__path(table->cgroups, cgroup);
	member = path ? calloc(1, sizeof(*member)) : NULL;
	if (!member)
		return NULL;
	member->cgroup = cgroup;
	if (job_patterns__match(table->patterns, path, &match)) {
		member->job = find_or_add(table, &match, path, cgroup);
		member->step = match.step[0] ? strdup(match.step) : NULL;
		if (table->env)
			env_jobs__leave_out(table->env, cgroup);
		if (table->env && member->job)
			env_jobs__leave_out(table->env, member->job->directory);
	} else {
		job_patterns__unit(path, &match);
		member->job = new_job(&match, cgroup);
		member->owns = true;
	}
	return add_member(table, member);
}

/* NULL: its path is not known, or no memory. */
static const struct member *member_of(struct job_table *table, __u64 cgroup)
{
	const struct member *member = id_map__find(&table->members, cgroup);

	if (member)
		return member;
	return tm_env_job_is(cgroup) ? meet_named(table, cgroup) : meet(table, cgroup);
}

static __u64 map_job(void *context, __u64 cgroup)
{
	const struct member *member = member_of(context, cgroup);

	return member ? member->job->id : cgroup;
}

struct job_map job_table__map(struct job_table *table)
{
	return (struct job_map){ .of = map_job, .context = table };
}

const struct job_info *job_table__info(struct job_table *table, __u64 job)
{
	const struct member *member = member_of(table, job);

	if (!member)
		return NULL;
	update(table, member->job);
	if (job == member->job->id || !member->step)
		return &member->job->info;
	table->shown = member->job->info;
	table->shown.step = member->step;
	return &table->shown;
}

const char *job_table__jobid(struct job_table *table, __u64 job)
{
	const struct member *member = member_of(table, job);

	if (!member)
		return NULL;
	/* It may not have been asked yet what it is called. */
	if (member->job->info.sluid && !member->job->told[0])
		update(table, member->job);
	return member->job->info.jobid;
}

static bool next_gone(void *context, __u64 *cgroup)
{
	struct job_table *table = context;

	return cgroup_lives__next_gone(table->lives, cgroup);
}

static bool is_named_gone(const struct job_table *table, __u64 number)
{
	const struct tm_env_job *env = table->env ? env_jobs__at(table->env, number) : NULL;

	return !env || env_jobs__end(env);
}

/* Also of those that went while too much happened at once to be told. */
static bool is_gone(void *context, __u64 cgroup)
{
	struct job_table *table = context;
	struct tm_cgroup_event event = {
		.id = cgroup,
		.what = TM_CGROUP_GONE,
		.cpu_ns = TM_CGROUP_UNKNOWN,
		.user_ns = TM_CGROUP_UNKNOWN,
		.system_ns = TM_CGROUP_UNKNOWN,
		.memory_peak_bytes = TM_CGROUP_UNKNOWN,
	};
	struct cgroup_life life;

	if (tm_env_job_is(cgroup))
		return is_named_gone(table, cgroup);
	if (!cgroup_names__is_gone(table->cgroups, cgroup))
		return false;
	event.time_ns = clock__ns(CLOCK_MONOTONIC);
	if (!cgroup_lives__find(table->lives, cgroup, &life) || !life.end_ns)
		cgroup_lives__note(table->lives, &event);
	cgroup_names__note_end(table->cgroups, cgroup);
	return true;
}

/* Nothing is read of one that runs. */
static __u64 end_of(void *context, __u64 number)
{
	struct job_table *table = context;
	const struct member *member = member_of(table, number);
	struct cgroup_life life;
	struct job *job;

	/* One of which nothing was ever known is as old as anything. */
	if (!member)
		return is_gone(table, number);
	job = member->job;
	if (job->info.is_named)
		update(table, job);
	else if (!job->info.end_ns && cgroup_lives__find(table->lives, job->directory, &life) &&
		 life.end_ns)
		update(table, job);
	return job->info.end_ns;
}

static void forget_job(void *context, __u64 number)
{
	struct job_table *table = context;
	struct member *member = id_map__find(&table->members, number), *next;
	struct job *job = member ? member->job : NULL;
	bool is_listed = job && !member->owns;

	if (!job || !job->info.end_ns)
		return;
	for (member = job->members; member; member = next) {
		next = member->next;
		if (tm_env_job_is(member->cgroup))
			env_jobs__give_back(table->env, member->cgroup);
		else
			cgroup_names__forget(table->cgroups, member->cgroup);
		id_map__remove(&table->members, member->cgroup);
		member->owns = false;
		free_member(member);
	}
	/* It may have but steps as members. */
	if (!job->info.is_named)
		cgroup_names__forget(table->cgroups, job->directory);
	if (job->info.is_named)
		tdelete(job, &table->named, compare_named);
	else if (is_listed)
		tdelete(job, &table->jobs, compare_jobs);
	free(job);
}

struct job_ends job_table__ends(struct job_table *table)
{
	return (struct job_ends){
		.map = job_table__map(table),
		.next_gone = next_gone,
		.is_gone = is_gone,
		.end_of = end_of,
		.forget = forget_job,
		.context = table,
	};
}

void job_table__refresh(struct job_table *table)
{
	table->stale_ns = clock__ns(CLOCK_MONOTONIC);
}

void job_table__hurry(struct job_table *table, bool is_urgent)
{
	table->is_urgent = is_urgent;
}

__u64 job_table__cgroup(const struct job_table *table, __u64 job)
{
	const struct tm_env_job *env = table->env ? env_jobs__at(table->env, job) : NULL;

	return env ? env->name.cgroup : job;
}

const char *job_table__path(struct job_table *table, __u64 job)
{
	return cgroup_names__path(table->cgroups, job_table__cgroup(table, job));
}
