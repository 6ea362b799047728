/* SPDX-License-Identifier: GPL-2.0-only */
/* Going through all tasks of the machine with a program of the kernel side. */
#ifndef USER_JOB_ENV_WALK_H
#define USER_JOB_ENV_WALK_H

#include <linux/types.h>

/* Runs a program, of the type "iter/task", for each task. 0, or a negative errno. */
int env_walk__run(int program);

/* What looks for processes whose environment names a job, and what it is told and says. */
struct env_walk {
	int program;
	__u64 *since, *until;
	const __u32 *found, *changed;
};

/* Longer than this is not looked for them. */
#define ENV_WALK_S 5.0

/*
 * Gives those that run, and what they start meanwhile, to their jobs; what they start later is
 * followed. -EAGAIN: the time was over before all had been looked at; or what env_walk__run() says.
 */
int env_walk__find(const struct env_walk *walk);

#endif
