/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel side's table of jobs that are named by the environment: read here, and given back.
 */
#ifndef USER_JOB_ENV_JOBS_H
#define USER_JOB_ENV_JOBS_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/error.h"
#include "job/job_info.h"
#include "tmtrace/env_job.h"

struct env_jobs;

/* Descriptors of the maps; they stay the caller's, as all else. */
struct env_jobs_maps {
	int jobs, names, details;
	int job_cgroup;	      /* program, see bpf/errands.bpf.c */
	const __u64 *highest; /* index that was ever given out */
	int usage;	      /* program that adds up what those that run have used */
};

/* 0 and *out, or a negative errno: -ENOMEM, what mmap() says. */
int env_jobs__open(struct env_jobs **out, const struct env_jobs_maps *maps, struct error *err);
void env_jobs__close(struct env_jobs *jobs); /* NULL is fine */

/* What is known of a number; NULL: nothing. */
const struct tm_env_job *env_jobs__at(struct env_jobs *jobs, __u64 number);
/* The first number after another one, 0 to begin, that stands for a job; false: there is none. */
bool env_jobs__next(struct env_jobs *jobs, __u64 *number);

/* The kind as of job_info, "slurm"; NULL: what it is called is no name of a job. */
const char *env_jobs__kind(const struct tm_env_job *job);

/* When it began (CLOCK_REALTIME); 0: before the tracing. */
__u64 env_jobs__start(const struct tm_env_job *job);
/*
 * When its last process ended (CLOCK_REALTIME), if that is some time ago; 0: it goes on, or may.
 */
__u64 env_jobs__end(const struct tm_env_job *job);

/*
 * What its processes have used while they were its. Those that run are asked again unless they were
 * after since_ns (CLOCK_MONOTONIC). The most memory at one time is not known.
 */
struct job_usage env_jobs__usage(struct env_jobs *jobs, __u64 number, __u64 since_ns);

/* A cgroup, and what is made in it, is of a job by its path: that holds for its processes. */
void env_jobs__leave_out(const struct env_jobs_maps *maps, __u64 cgroup);

/*
 * Nobody asks for it any more: another one may have its place, if it is over. In two steps, for
 * whoever was about to join it meanwhile: first nobody finds it by its name any more. false: it has
 * to be asked for once more, some time later.
 */
bool env_jobs__give_back(struct env_jobs *jobs, __u64 number);

#endif
