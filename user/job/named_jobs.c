// SPDX-License-Identifier: GPL-2.0-only
/* Jobs of a table that the environment of their processes names: one for each user who does. */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/search.h"
#include "job/job_table_state.h"
#include "job/job_usage.h"

/* Anybody may take the name of another one's job. */
static int compare_jobs(const void *left, const void *right)
{
	const struct job *a = left, *b = right;
	int order = strcmp(a->name.kind, b->name.kind);

	if (a->info.uid != b->info.uid)
		return a->info.uid < b->info.uid ? -1 : 1;
	return order ? order : strcmp(a->name.jobid, b->name.jobid);
}

/* The job that is named so. */
static struct job *find_or_add(struct job_table *table, const struct tm_env_job *env,
			       const char *kind, __u64 number)
{
	struct job_match match = { 0 };
	struct job *job, **node;

	snprintf(match.kind, sizeof(match.kind), "%s", kind);
	snprintf(match.jobid, sizeof(match.jobid), "%.*s", (int)sizeof(env->name.jobid),
		 env->name.jobid);
	job = job_table__new_job(&match, number);
	if (!job)
		return NULL;
	job->directory = env->name.cgroup;
	job->earlier = (struct job_usage){ .memory_peak_bytes = JOB_UNKNOWN };
	job->info.is_named = true;
	job->info.uid = env->name.uid;
	node = tsearch(job, &table->named, compare_jobs);
	if (!node || *node != job)
		free(job);
	return node ? *node : NULL;
}

/* What there was no number for is of others, but in a job's cgroup. */
static const struct member *meet_rest(struct job_table *table, __u64 cgroup)
{
	const struct member *around = job_table__member(table, cgroup);

	return around && job_info__is_job(&around->job->info) ? around : NULL;
}

/* In a job's cgroup it is that job's, whatever the environment says. */
static const struct member *meet(struct job_table *table, const struct tm_env_job *env,
				 __u64 number)
{
	const struct member *around = job_table__member(table, env->name.cgroup);
	const char *kind = env_jobs__kind(env);
	bool is_around = around && (!kind || job_info__is_job(&around->job->info));
	struct member *member = is_around || kind ? calloc(1, sizeof(*member)) : NULL;

	if (!member)
		return NULL;
	member->cgroup = number;
	if (is_around) {
		member->job = around->job;
		member->step = around->step ? strdup(around->step) : NULL;
	} else {
		member->job = find_or_add(table, env, kind, number);
	}
	return job_table__add_member(table, member);
}

const struct member *named_jobs__meet(struct job_table *table, __u64 number)
{
	const struct tm_env_job *env;

	if (tm_env_rest_is(number))
		return meet_rest(table, tm_env_rest_cgroup(number));
	env = table->env ? env_jobs__at(table->env, number) : NULL;
	return env ? meet(table, env, number) : NULL;
}

bool named_jobs__is_gone(const struct job_table *table, __u64 number)
{
	const struct tm_env_job *env;

	if (tm_env_rest_is(number))
		return cgroup_names__is_gone(table->cgroups, tm_env_rest_cgroup(number));
	env = table->env ? env_jobs__at(table->env, number) : NULL;
	return !env || env_jobs__end(env);
}

/* It is over when all are that have the name, those that were given back, too; 0: it is not. */
void named_jobs__find_end(const struct job_table *table, struct job *job)
{
	__u64 last = job->earlier_end_ns;

	for (const struct member *member = job->members; member; member = member->next) {
		const struct tm_env_job *env = env_jobs__at(table->env, member->cgroup);
		__u64 end_ns = env ? env_jobs__end(env) : last;

		if (env && !end_ns) {
			job->info.end_ns = 0;
			return;
		}
		if (end_ns > last)
			last = end_ns;
	}
	job->info.end_ns = last;
}

/* What was read of usage is good for that long. */
#define USAGE_NS (5 * NS_PER_S)

/* From when on what was asked is good enough. */
static __u64 asked_since(const struct job_table *table)
{
	__u64 long_ago = clock__ns(CLOCK_MONOTONIC) - USAGE_NS;

	return table->stale_ns > long_ago ? table->stale_ns : long_ago;
}

void named_jobs__update(struct job_table *table, struct job *job)
{
	struct job_usage usage = job->earlier, one;
	__u64 start_ns = ~0ULL, began_ns;

	named_jobs__find_end(table, job);
	for (const struct member *member = job->members; member; member = member->next) {
		const struct tm_env_job *env = env_jobs__at(table->env, member->cgroup);

		if (!env)
			continue;
		began_ns = env_jobs__start(env);
		if (began_ns < start_ns)
			start_ns = began_ns;
		one = env_jobs__usage(table->env, member->cgroup, asked_since(table));
		usage = job_usage__sum(&usage, &one);
	}
	if (start_ns < job->info.start_ns || job->own.cpu_ns == JOB_UNKNOWN)
		job->info.start_ns = start_ns == ~0ULL ? 0 : start_ns;
	/* One that ended while those that run were asked is in it the next time. */
	if (job->own.cpu_ns == JOB_UNKNOWN || usage.cpu_ns > job->own.cpu_ns)
		job->own = usage;
	job->info.usage = job->own;
}

/* What a number of it, which is given back, was. */
static void keep_past(struct job_table *table, struct job *job, __u64 number)
{
	const struct tm_env_job *env = env_jobs__at(table->env, number);
	__u64 end_ns = env ? env_jobs__end(env) : 0;
	struct job_usage usage;

	if (!env || !job->info.is_named)
		return;
	usage = env_jobs__usage(table->env, number, 0);
	job->earlier = job_usage__sum(&job->earlier, &usage);
	if (end_ns > job->earlier_end_ns)
		job->earlier_end_ns = end_ns;
}

void named_jobs__drop(struct job_table *table, struct job *job)
{
	for (struct member *one = job->members, *next; one; one = next) {
		next = one->next;
		env_jobs__give_back(table->env, one->cgroup);
		job_table__drop_member(table, one);
	}
	tdelete(job, &table->named, compare_jobs);
	free(job);
}

static bool is_among(const __u64 *jobs, size_t n, __u64 number)
{
	size_t at = SEARCH_FIRST(n, i, jobs[i] < number);

	return at < n && jobs[at] == number;
}

/* Nothing of that number, which is over, is in any series. */
static void give_back(struct job_table *table, __u64 number)
{
	struct member *member = job_table__find_member(table, number);
	struct job *job = member ? member->job : NULL;

	if (!member) {
		env_jobs__give_back(table->env, number);
	} else if (job->id != number) {
		keep_past(table, job, number);
		job_table__drop_member(table, member);
		env_jobs__give_back(table->env, number);
	} else if (!member->next && job->members == member) {
		named_jobs__drop(table, job);
	}
}

/* Its series may become its job's: once, or again after it went on. Without memory, later. */
static void note_over(struct job_table *table, __u64 number)
{
	struct member *member = job_table__find_member(table, number);

	if (member && member->was_over)
		return;
	if (member)
		member->was_over = true;
	if (array__grow((void **)&table->over, &table->over_room, table->n_over,
			sizeof(*table->over)) == 0)
		table->over[table->n_over++] = number;
}

static void note_live(const struct job_table *table, __u64 number)
{
	struct member *member = job_table__find_member(table, number);

	if (member)
		member->was_over = false;
}

void named_jobs__keep(struct job_table *table, const __u64 *jobs, size_t n)
{
	__u64 number = 0;

	while (table->env && env_jobs__next(table->env, &number)) {
		const struct tm_env_job *env = env_jobs__at(table->env, number);

		if (!env || !env_jobs__end(env)) {
			note_live(table, number);
			continue;
		}
		if (is_among(jobs, n, number))
			note_over(table, number);
		else
			give_back(table, number);
	}
}

bool named_jobs__next_over(struct job_table *table, __u64 *number)
{
	if (!table->n_over)
		return false;
	*number = table->over[--table->n_over];
	return true;
}
