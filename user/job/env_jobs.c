// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <bpf/bpf.h>

#include "base/clock.h"
#include "job/env_jobs.h"
#include "process/start_env.h"

/* Between two commands of a job there may be no process of it. */
#define OVER_NS (30 * NS_PER_S)

struct env_jobs {
	struct env_jobs_maps maps;
	struct tm_env_job *at; /* mapped */
};

#define BYTES (TM_ENV_JOBS * sizeof(struct tm_env_job))

int env_jobs__open(struct env_jobs **out, const struct env_jobs_maps *maps, struct error *err)
{
	struct env_jobs *jobs = calloc(1, sizeof(*jobs));
	void *at;
	int ret;

	if (!jobs)
		return error__set(err, -ENOMEM, "no memory");
	jobs->maps = *maps;
	at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, maps->jobs, 0);
	if (at == MAP_FAILED) {
		ret = error__set(err, -errno, "mapping tm_env_jobs: %s", strerror(errno));
		free(jobs);
		return ret;
	}
	jobs->at = at;
	*out = jobs;
	return 0;
}

void env_jobs__close(struct env_jobs *jobs)
{
	if (!jobs)
		return;
	munmap(jobs->at, BYTES);
	free(jobs);
}

static struct tm_env_job *find(const struct env_jobs *jobs, __u64 number)
{
	__u64 index = number & ~TM_ENV_JOB_BIT;
	struct tm_env_job *job = &jobs->at[index < TM_ENV_JOBS ? index : 0];

	if (!tm_env_job_is(number) || !index || index >= TM_ENV_JOBS)
		return NULL;
	return __atomic_load_n(&job->state, __ATOMIC_ACQUIRE) ? job : NULL;
}

const struct tm_env_job *env_jobs__at(const struct env_jobs *jobs, __u64 number)
{
	return find(jobs, number);
}

const char *env_jobs__kind(const struct tm_env_job *job)
{
	static const char *const kinds[TM_ENV_KINDS] = { "slurm", "pbs", "lsf" };
	size_t length = strnlen(job->name.jobid, sizeof(job->name.jobid));

	if (job->name.kind >= TM_ENV_KINDS || !start_env__is_jobid(job->name.jobid, length))
		return NULL;
	return kinds[job->name.kind];
}

__u64 env_jobs__end(const struct tm_env_job *job)
{
	__u64 now = clock__ns(CLOCK_MONOTONIC);
	__u64 end_ns = __atomic_load_n(&job->end_ns, __ATOMIC_RELAXED);

	if (__atomic_load_n(&job->live, __ATOMIC_RELAXED) > 0 || !end_ns || now < end_ns + OVER_NS)
		return 0;
	return end_ns + clock__ns(CLOCK_REALTIME) - now;
}

void env_jobs__leave_out(const struct env_jobs *jobs, __u64 cgroup)
{
	const __u8 yes = 1;

	/* Where there is no room, its processes are looked at in vain. */
	bpf_map_update_elem(jobs->maps.cgroups, &cgroup, &yes, BPF_ANY);
}

void env_jobs__give_back(struct env_jobs *jobs, __u64 number)
{
	struct tm_env_job *job = find(jobs, number);
	__u32 index = (__u32)number, share;

	if (!job || !env_jobs__end(job))
		return;
	/* First the name: from now on nobody finds the number. */
	if (bpf_map_delete_elem(jobs->maps.names, &job->name) < 0 && errno != ENOENT)
		return;
	if (!env_jobs__end(job))
		return; /* a process came meanwhile: the number stays its own */
	if (bpf_map_lookup_elem(jobs->maps.users, &job->name.uid, &share) == 0 && share) {
		share--;
		bpf_map_update_elem(jobs->maps.users, &job->name.uid, &share, BPF_EXIST);
	}
	__atomic_store_n(&job->state, 0, __ATOMIC_RELEASE);
	bpf_map_update_elem(jobs->maps.free, NULL, &index, BPF_ANY);
}
