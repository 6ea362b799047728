// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "host/files.h"
#include "job/cgroup_usage.h"
#include "job/job_table_state.h"
#include "job/job_usage.h"

static int compare_jobs(const void *left, const void *right)
{
	const struct job *a = left, *b = right;
	int order = strcmp(a->name.kind, b->name.kind);

	return order ? order : strcmp(a->name.jobid, b->name.jobid);
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

static int open_named(struct job_table *table, const struct env_jobs_maps *maps, struct error *err)
{
	table->named_maps = *maps;
	table->told = (struct job_cgroups){ table->patterns, &table->named_maps };
	return env_jobs__open(&table->env, maps, err);
}

static int open_kept(struct job_table *table, const struct kept_names_map *map, struct error *err)
{
	int ret = kept_names__open(&table->kept, map, table->cgroups, table->lives);

	return ret ? error__set(err, ret, "reading tm_cgroup_names: %s", strerror(-ret)) : 0;
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
	if (!ret && options->named)
		ret = open_named(table, options->named, err);
	if (!ret)
		ret = cgroup_events__open(&table->events, options->events, table->cgroups,
					  table->lives, &table->told, err);
	/* After the events: what is made meanwhile is in one of both. */
	if (!ret && options->walk)
		ret = cgroup_names__refresh(table->cgroups);
	if (!ret && options->kept)
		ret = open_kept(table, options->kept, err);
	if (ret) {
		job_table__close(table);
		return ret;
	}
	job_cgroups__tell_all(&table->told, table->cgroups);
	*out = table;
	return 0;
}

void job_table__close(struct job_table *table)
{
	if (!table)
		return;
	cgroup_events__close(table->events);
	env_jobs__close(table->env);
	kept_names__close(table->kept);
	cgroup_lives__free(table->lives);
	cgroup_names__close(table->cgroups);
	free(table->mount);
	free(table->over);
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

struct job *job_table__new_job(const struct job_match *name, __u64 id)
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

/* What is known of it is kept for the next service. */
static void keep_known(struct job_table *table, const struct job *job)
{
	struct kept_job known = { .several_steps = job->several_steps };

	snprintf(known.jobid, sizeof(known.jobid), "%s", job->told);
	snprintf(known.step, sizeof(known.step), "%s", job->info.step ?: "");
	kept_names__tell(table->kept, job->directory, &known);
}

/* Another cgroup of it, of that step. */
static void add_step(struct job_table *table, struct job *job, const char *step)
{
	if (!*step || job->several_steps)
		return;
	if (!job->info.step) {
		memcpy(job->name.step, step, strlen(step) + 1);
		job->info.step = job->name.step;
	} else if (strcmp(step, job->info.step) != 0) {
		job->several_steps = true;
		job->info.step = NULL;
	} else {
		return;
	}
	keep_known(table, job);
}

/*
 * What was read of a cgroup's files is good for that long, and longer where there are so many that
 * this would take more readings in a second.
 */
#define USAGE_NS     (5 * NS_PER_S)
#define USAGES_PER_S 40

/* Of what is gone, the kernel told all if it was seen to begin. */
static void take_end(struct job *job, const struct cgroup_life *life)
{
	job->info.end_ns = life->end_ns;
	if (life->usage.memory_peak_bytes != JOB_UNKNOWN)
		job->own.memory_peak_bytes = life->usage.memory_peak_bytes;
	if (life->usage.cpu_ns == JOB_UNKNOWN)
		return;
	job->own.cpu_ns = life->usage.cpu_ns;
	job_usage__divide(&job->own, life->usage.user_ns, life->usage.system_ns);
}

/* Where its path has a SLUID, its processes know what it is called. */
static void ask_environment(struct job_table *table, struct job *job, const char *path)
{
	char dir[PATH_MAX];

	if (files__path(dir, sizeof(dir), "%s%s", table->mount, path) == 0 &&
	    job_env__ask(dir, job->told)) {
		job->info.jobid = job->told;
		table->renames++;
		keep_known(table, job);
	}
}

/* It may not have been asked yet, or nobody knew. */
static bool awaits_name(const struct job *job)
{
	return job->info.sluid && !job->told[0];
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
	if (path && awaits_name(job))
		ask_environment(table, job, path);
}

/* When it began and ended, and what it has used so far. */
void job_table__update(struct job_table *table, struct job *job)
{
	struct cgroup_life life = { 0 };

	if (job->info.is_named)
		named_jobs__update(table, job);
	if (job->info.end_ns || job->info.is_named)
		return;
	if (cgroup_lives__find(table->lives, job->directory, &life) && !job->info.start_ns)
		job->info.start_ns = life.start_ns;
	if (life.end_ns)
		take_end(job, &life);
	else
		read_usage(table, job);
	job->info.usage = job_usage__sum(&job->earlier, &job->own);
}

/* Another directory of it: it was ended, and goes on. */
static void requeue(struct job_table *table, struct job *job, __u64 directory)
{
	job_table__update(table, job);
	job->earlier = job->info.usage;
	job->own = job_usage__unknown();
	job->directory = directory;
	job->info.end_ns = 0;
	job->read_ns = 0;
}

/* Of a new one, something may be known from before this process; the rest is to be kept. */
static void recall(struct job_table *table, struct job *job)
{
	const struct kept_job *known = kept_names__told(table->kept, job->directory);
	char step[JOB_STEP_MAX];

	if (known && job->info.sluid && *known->jobid) {
		memcpy(job->told, known->jobid, sizeof(job->told));
		job->info.jobid = job->told;
	}
	snprintf(step, sizeof(step), "%s", job->info.step ?: "");
	if (known) {
		job->several_steps = known->several_steps;
		memcpy(job->name.step, known->step, sizeof(job->name.step));
		job->info.step = *job->name.step ? job->name.step : NULL;
		add_step(table, job, step);
	} else if (*step) {
		keep_known(table, job);
	}
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
		add_step(table, *node, match->step);
		/* The kernel gives ids in order: an older one is that of before. */
		if (found && id > (*node)->directory)
			requeue(table, *node, id);
		return *node;
	}
	if (!found)
		id = cgroup; /* the first that was seen stands for it */
	job = job_table__new_job(match, id);
	if (job && !tsearch(job, &table->jobs, compare_jobs)) {
		free(job);
		return NULL;
	}
	if (job)
		recall(table, job);
	return job;
}

void job_table__unlist(struct job_table *table, const struct job *job)
{
	tdelete(job, &table->jobs, compare_jobs);
}

const struct member *job_table__add_member(struct job_table *table, struct member *member)
{
	if (member->job && !id_map__add(&table->members, member->cgroup, member)) {
		member->next = member->job->members;
		member->job->members = member;
		return member;
	}
	free_member(member);
	return NULL;
}

void job_table__drop_member(struct job_table *table, struct member *member)
{
	struct member **at = &member->job->members;

	while (*at != member)
		at = &(*at)->next;
	*at = member->next;
	id_map__remove(&table->members, member->cgroup);
	member->owns = false;
	free_member(member);
}

/* Looks into a cgroup for the first time; NULL: its path is not known, or no memory. */
static const struct member *meet(struct job_table *table, __u64 cgroup)
{
	struct member *member;
	struct job_match match = { 0 };
	const char *path;

	cgroup_events__read(table->events);
	path = cgroup_names__path(table->cgroups, cgroup);
	if (!path && kept_names__recall(table->kept, table->cgroups, cgroup))
		path = cgroup_names__path(table->cgroups, cgroup);
	member = path ? calloc(1, sizeof(*member)) : NULL;
	if (!member)
		return NULL;
	member->cgroup = cgroup;
	if (job_patterns__match(table->patterns, path, &match)) {
		member->job = find_or_add(table, &match, path, cgroup);
		member->step = match.step[0] ? strdup(match.step) : NULL;
		job_cgroups__tell(&table->told, cgroup, path);
	} else {
		job_patterns__unit(path, &match);
		member->job = job_table__new_job(&match, cgroup);
		member->owns = true;
	}
	return job_table__add_member(table, member);
}

struct member *job_table__find_member(const struct job_table *table, __u64 cgroup)
{
	return id_map__find(&table->members, cgroup);
}

const struct member *job_table__member(struct job_table *table, __u64 cgroup)
{
	const struct member *member = job_table__find_member(table, cgroup);

	if (member)
		return member;
	return tm_env_job_is(cgroup) ? named_jobs__meet(table, cgroup) : meet(table, cgroup);
}

static __u64 map_job(void *context, __u64 cgroup)
{
	const struct member *member = job_table__member(context, cgroup);

	if (!member && tm_env_rest_is(cgroup))
		return TM_JOB_OTHERS;
	return member ? member->job->id : cgroup;
}

static bool next_number(void *context, __u64 *number)
{
	struct job_table *table = context;

	return table->env && env_jobs__next(table->env, number);
}

struct job_map job_table__map(struct job_table *table)
{
	return (struct job_map){ .of = map_job, .next_number = next_number, .context = table };
}

const struct job_info *job_table__info(struct job_table *table, __u64 job)
{
	const struct member *member = job_table__member(table, job);

	if (!member)
		return NULL;
	job_table__update(table, member->job);
	if (job == member->job->id || !member->step)
		return &member->job->info;
	table->shown = member->job->info;
	table->shown.step = member->step;
	return &table->shown;
}

const char *job_table__jobid(struct job_table *table, __u64 job)
{
	const struct member *member = job_table__member(table, job);

	if (!member)
		return NULL;
	if (awaits_name(member->job))
		job_table__update(table, member->job);
	return member->job->info.jobid;
}

__u64 job_table__renames(const struct job_table *table)
{
	return table->renames + cgroup_names__renames(table->cgroups);
}

bool job_table__awaits_name(struct job_table *table, __u64 job)
{
	const struct member *member = job_table__member(table, job);

	return member && awaits_name(member->job);
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
	const struct member *member = job_table__find_member(table, job);
	const struct tm_env_job *env;

	if (tm_env_rest_is(job))
		return tm_env_rest_cgroup(job);
	env = table->env ? env_jobs__at(table->env, job) : NULL;
	if (env)
		return env->name.cgroup;
	return member && member->job->info.is_named ? member->job->directory : job;
}

const char *job_table__path(struct job_table *table, __u64 job)
{
	return cgroup_names__path(table->cgroups, job_table__cgroup(table, job));
}
