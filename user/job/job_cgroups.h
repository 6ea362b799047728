/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tells the kernel side which cgroups are of a job by their paths, as soon as they are known: there
 * it does not ask what the environment of processes says.
 */
#ifndef USER_JOB_JOB_CGROUPS_H
#define USER_JOB_JOB_CGROUPS_H

#include "job/env_jobs.h"

struct job_patterns; /* job/job_patterns.h */
struct cgroup_names; /* host/cgroup_names.h */

/* All NULL: nobody is told. */
struct job_cgroups {
	const struct job_patterns *patterns;
	const struct env_jobs_maps *maps;
};

/* A cgroup at a path that was made, or was met. */
void job_cgroups__tell(const struct job_cgroups *cgroups, __u64 id, const char *path);
/* All that are known. */
void job_cgroups__tell_all(const struct job_cgroups *cgroups, const struct cgroup_names *names);

#endif
