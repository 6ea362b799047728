// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/files.h"
#include "host/process_list.h"
#include "job/job_env.h"
#include "tmtrace/process.h"

/* Processes that are asked, at most. */
#define ASKED_MAX 64

static bool ask(pid_t pid, char jobid[START_ENV_JOBID + 1])
{
	struct start_env env;
	char path[64], *text;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	if (files__read(path, TM_ENVIRONMENT_MAX, &text, &n) < 0)
		return false;
	start_env__read(&env, text, n);
	memcpy(jobid, env.jobid, START_ENV_JOBID + 1);
	free(text);
	return jobid[0] != '\0';
}

bool job_env__ask(const char *directory, char jobid[START_ENV_JOBID + 1])
{
	bool known = false;
	pid_t *pids = NULL;
	struct error err;
	size_t n;

	jobid[0] = '\0';
	if (process_list__cgroup(directory, &pids, &n, &err) < 0)
		return false;
	for (size_t i = 0; i < n && i < ASKED_MAX && !known; i++)
		known = ask(pids[i], jobid);
	free(pids);
	return known;
}
