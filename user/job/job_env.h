/* SPDX-License-Identifier: GPL-2.0-only */
/* What a job is called, by the environment of its processes that run. */
#ifndef USER_JOB_JOB_ENV_H
#define USER_JOB_JOB_ENV_H

#include <stdbool.h>

#include "job/start_env.h"

/*
 * Asks some of those in the cgroup of that directory and below. Whoever runs them can have set it
 * to anything. false: none of them knows, and jobid is empty.
 */
bool job_env__ask(const char *directory, char jobid[START_ENV_JOBID + 1]);

#endif
