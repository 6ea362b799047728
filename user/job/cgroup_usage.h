/* SPDX-License-Identifier: GPL-2.0-only */
/* What a cgroup and those below it have used so far, as its files tell. */
#ifndef USER_JOB_CGROUP_USAGE_H
#define USER_JOB_CGROUP_USAGE_H

#include "job/job_info.h"

/*
 * mount and path together are its directory. What its controllers do not tell, or a cgroup that is
 * gone does not any more, stays as it is.
 */
void cgroup_usage__read(const char *mount, const char *path, struct job_usage *usage);

#endif
