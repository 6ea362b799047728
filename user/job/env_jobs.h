/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel side's table of jobs that are named by the environment: read here, and given back.
 */
#ifndef USER_JOB_ENV_JOBS_H
#define USER_JOB_ENV_JOBS_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/error.h"
#include "tmtrace/env_job.h"

struct env_jobs;

/* Descriptors of the maps; they stay the caller's. */
struct env_jobs_maps {
	int jobs, names, free, users, cgroups;
};

/* 0 and *out, or a negative errno: -ENOMEM, what mmap() says. */
int env_jobs__open(struct env_jobs **out, const struct env_jobs_maps *maps, struct error *err);
void env_jobs__close(struct env_jobs *jobs); /* NULL is fine */

/* What is known of a number; NULL: nothing. */
const struct tm_env_job *env_jobs__at(const struct env_jobs *jobs, __u64 number);

/* The kind as of job_info, "slurm"; NULL: what it is called is no name of a job. */
const char *env_jobs__kind(const struct tm_env_job *job);

/*
 * When its last process ended (CLOCK_REALTIME), if that is some time ago; 0: it goes on, or may.
 */
__u64 env_jobs__end(const struct tm_env_job *job);

/* A cgroup, and what is made in it, is of a job by its path: that holds for its processes. */
void env_jobs__leave_out(const struct env_jobs *jobs, __u64 cgroup);

/* Nobody asks for it any more: another one may have its number, if it is over. */
void env_jobs__give_back(struct env_jobs *jobs, __u64 number);

#endif
