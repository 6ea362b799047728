// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <bpf/bpf.h>

#include "base/clock.h"
#include "base/errand.h"
#include "base/grown_map.h"
#include "job/env_jobs.h"
#include "job/env_walk.h"
#include "job/job_usage.h"
#include "job/start_env.h"

/* Between two commands of a job there may be no process of it. */
#define OVER_NS (30 * NS_PER_S)

struct env_jobs {
	struct env_jobs_maps maps;
	struct grown_map table;
	/* What each had used when those that run were asked last; by index. */
	struct tm_env_usage *asked;
	__u64 asked_ns; /* CLOCK_MONOTONIC; 0: never */
};

int env_jobs__open(struct env_jobs **out, const struct env_jobs_maps *maps, struct error *err)
{
	struct env_jobs *jobs = calloc(1, sizeof(*jobs));
	int ret = -ENOMEM;

	if (jobs) {
		jobs->maps = *maps;
		/* Of pages that are touched only where there are jobs. */
		jobs->asked = calloc(TM_ENV_JOBS, sizeof(*jobs->asked));
	}
	if (jobs && jobs->asked)
		ret = grown_map__open(&jobs->table, maps->jobs,
				      TM_ENV_JOBS * sizeof(struct tm_env_job),
				      PROT_READ | PROT_WRITE);
	if (!ret) {
		*out = jobs;
		return 0;
	}
	env_jobs__close(jobs);
	return error__set(err, ret, "mapping tm_env_jobs: %s", strerror(-ret));
}

void env_jobs__close(struct env_jobs *jobs)
{
	if (!jobs)
		return;
	grown_map__close(&jobs->table);
	free(jobs->asked);
	free(jobs);
}

/* Indices from here on were never given out, or cannot be mapped now. */
static size_t end_of(struct env_jobs *jobs)
{
	__u64 highest = __atomic_load_n(jobs->maps.highest, __ATOMIC_ACQUIRE);
	size_t n = highest < TM_ENV_JOBS ? (size_t)highest + 1 : TM_ENV_JOBS;

	return grown_map__show(&jobs->table, n, sizeof(struct tm_env_job));
}

static struct tm_env_job *table_of(const struct env_jobs *jobs)
{
	return (struct tm_env_job *)jobs->table.at;
}

static bool is_used(const struct tm_env_job *job)
{
	return __atomic_load_n(&job->state, __ATOMIC_ACQUIRE) >= TM_ENV_USED;
}

static struct tm_env_job *find_job(struct env_jobs *jobs, __u64 number)
{
	__u32 index = tm_env_index(number);
	struct tm_env_job *job = &table_of(jobs)[index];

	if (!index || index >= end_of(jobs))
		return NULL;
	return is_used(job) && tm_env_number(index, job->serial) == number ? job : NULL;
}

const struct tm_env_job *env_jobs__at(struct env_jobs *jobs, __u64 number)
{
	return find_job(jobs, number);
}

bool env_jobs__next(struct env_jobs *jobs, __u64 *number)
{
	size_t end = end_of(jobs);

	for (__u32 index = tm_env_index(*number) + 1; index < end; index++) {
		const struct tm_env_job *job = &table_of(jobs)[index];

		if (!is_used(job))
			continue;
		*number = tm_env_number(index, job->serial);
		return true;
	}
	return false;
}

const char *env_jobs__kind(const struct tm_env_job *job)
{
	static const char *const kinds[TM_ENV_KINDS] = { "slurm", "pbs", "lsf" };
	size_t length = strnlen(job->name.jobid, sizeof(job->name.jobid));

	if (job->name.kind >= TM_ENV_KINDS || !start_env__is_jobid(job->name.jobid, length))
		return NULL;
	return kinds[job->name.kind];
}

/* From the kernel's clock to that of records. */
static __u64 to_real(__u64 monotonic_ns)
{
	return monotonic_ns + clock__ns(CLOCK_REALTIME) - clock__ns(CLOCK_MONOTONIC);
}

static bool is_live(const struct tm_env_job *job)
{
	return __atomic_load_n(&job->live, __ATOMIC_RELAXED) > 0;
}

__u64 env_jobs__start(const struct tm_env_job *job)
{
	return job->start_ns ? to_real(job->start_ns) : 0;
}

__u64 env_jobs__end(const struct tm_env_job *job)
{
	__u64 end_ns = __atomic_load_n(&job->end_ns, __ATOMIC_RELAXED);

	if (is_live(job) || clock__ns(CLOCK_MONOTONIC) < end_ns + OVER_NS)
		return 0;
	return to_real(end_ns);
}

static void add_usage(struct tm_env_usage *sum, const struct tm_env_usage *more)
{
	sum->run_ns += more->run_ns;
	sum->user_ns += more->user_ns;
	sum->system_ns += more->system_ns;
}

/*
 * Asks those that run. What ended threads have used is read before: one that ends meanwhile is not
 * counted twice, but the next time.
 */
static void ask(struct env_jobs *jobs)
{
	struct tm_env_job *table = table_of(jobs);
	size_t end = end_of(jobs);

	for (size_t i = 1; i < end; i++) {
		jobs->asked[i] = table[i].ended;
		table[i].running = (struct tm_env_usage){ 0 };
	}
	if (env_walk__run(jobs->maps.usage) < 0)
		return;
	for (size_t i = 1; i < end; i++)
		add_usage(&jobs->asked[i], &table[i].running);
}

/* By ticks it is known how much of the time was in the kernel. */
static struct job_usage divided(const struct tm_env_usage *used)
{
	struct job_usage usage = job_usage__unknown();

	usage.cpu_ns = used->run_ns;
	job_usage__divide(&usage, used->user_ns, used->system_ns);
	return usage;
}

struct job_usage env_jobs__usage(struct env_jobs *jobs, __u64 number, __u64 since_ns)
{
	const struct tm_env_job *job = find_job(jobs, number);
	const struct tm_env_usage *asked;

	if (!job)
		return job_usage__unknown();
	if (is_live(job) && jobs->asked_ns <= since_ns) {
		jobs->asked_ns = clock__ns(CLOCK_MONOTONIC);
		ask(jobs);
	}
	asked = &jobs->asked[tm_env_index(number)];
	return divided(is_live(job) && asked->run_ns > job->ended.run_ns ? asked : &job->ended);
}

void env_jobs__leave_out(const struct env_jobs_maps *maps, __u64 cgroup)
{
	/* Where there is no room, its processes are looked at in vain. */
	errand__run(maps->job_cgroup, &cgroup, sizeof(cgroup));
}

bool env_jobs__give_back(struct env_jobs *jobs, __u64 number)
{
	struct tm_env_job *job = find_job(jobs, number);

	if (!job)
		return true;
	if (!env_jobs__end(job))
		return false;
	if (job->state == TM_ENV_LEAVING) {
		jobs->asked[tm_env_index(number)] = (struct tm_env_usage){ 0 };
		/* How much was told of it; most are told as the node. */
		bpf_map_delete_elem(jobs->maps.details, &number);
		__atomic_store_n(&job->state, TM_ENV_FREE, __ATOMIC_RELEASE);
		return true;
	}
	if (bpf_map_delete_elem(jobs->maps.names, &job->name) == 0 || errno == ENOENT)
		__atomic_store_n(&job->state, TM_ENV_LEAVING, __ATOMIC_RELEASE);
	return false;
}
