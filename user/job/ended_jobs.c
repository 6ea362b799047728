// SPDX-License-Identifier: GPL-2.0-only
/* Jobs of a table that are over, and cgroups that are gone: what struct job_ends tells of them. */
#include <stdlib.h>

#include "base/clock.h"
#include "job/job_table_state.h"

static bool next_gone(void *context, __u64 *cgroup)
{
	struct job_table *table = context;

	return named_jobs__next_over(table, cgroup) ||
	       cgroup_lives__next_gone(table->lives, cgroup);
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
		return named_jobs__is_gone(table, cgroup);
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
	const struct member *member = job_table__member(table, number);
	struct cgroup_life life;
	struct job *job;

	/* One of which nothing was ever known is as old as anything. */
	if (!member)
		return is_gone(table, number);
	job = member->job;
	if (job->info.is_named)
		named_jobs__find_end(table, job);
	else if (!job->info.end_ns && cgroup_lives__find(table->lives, job->directory, &life) &&
		 life.end_ns)
		job_table__update(table, job);
	return job->info.end_ns;
}

static void forget_job(void *context, __u64 number)
{
	struct job_table *table = context;
	const struct member *member = job_table__find_member(table, number);
	struct job *job = member ? member->job : NULL;
	bool is_listed = job && !member->owns;

	if (!job || !job->info.end_ns)
		return;
	if (job->info.is_named) {
		named_jobs__drop(table, job);
		return;
	}
	for (struct member *one = job->members, *next; one; one = next) {
		next = one->next;
		/* Its numbers are given back when they are over. */
		if (!tm_env_job_is(one->cgroup))
			cgroup_names__forget(table->cgroups, one->cgroup);
		job_table__drop_member(table, one);
	}
	/* It may have but steps as members. */
	cgroup_names__forget(table->cgroups, job->directory);
	if (is_listed)
		job_table__unlist(table, job);
	free(job);
}

/* Names of cgroups of which there are figures are kept. */
static void keep_names(struct job_table *table, const __u64 *jobs, size_t n)
{
	kept_names__begin(table->kept);
	for (size_t i = 0; i < n; i++) {
		const struct member *member = job_table__find_member(table, jobs[i]);

		kept_names__need(table->kept, job_table__cgroup(table, jobs[i]));
		if (member)
			kept_names__need(table->kept, member->job->directory);
	}
	kept_names__end(table->kept);
}

static void keep(void *context, const __u64 *jobs, size_t n)
{
	named_jobs__keep(context, jobs, n);
	keep_names(context, jobs, n);
}

struct job_ends job_table__ends(struct job_table *table)
{
	return (struct job_ends){
		.map = job_table__map(table),
		.next_gone = next_gone,
		.is_gone = is_gone,
		.end_of = end_of,
		.forget = forget_job,
		.keep = keep,
		.context = table,
	};
}
