/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of cgroups that the kernel side keeps (tmtrace/cgroup_name.h): read when a service goes
 * on with the counters of one that was killed, so that cgroups that are gone by then have names and
 * jobs; and given up when there are no figures of them any more.
 */
#ifndef USER_JOB_KEPT_NAMES_H
#define USER_JOB_KEPT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "job/job_patterns.h"
#include "job/start_env.h"

struct kept_names;
struct cgroup_lives; /* job/cgroup_lives.h */
struct cgroup_names; /* host/cgroup_names.h */

/* The kernel side's; they stay the caller's. */
struct kept_names_map {
	int fd;
	const __u64 *gone; /* how many went, ever */
	__u64 *lost;	   /* how many had no room, ever */
	__u64 *of_users;   /* how many are of users now */
};

/*
 * Adds what is kept to names, which knows the cgroups that there are, and to lives: when they began
 * and ended; and keeps the names of those that there are. 0 and *out, or a negative errno: -ENOMEM,
 * what mmap() says.
 */
int kept_names__open(struct kept_names **out, const struct kept_names_map *map,
		     struct cgroup_names *names, struct cgroup_lives *lives);
/* All stays kept. NULL is fine here, and everywhere below: then nothing is kept. */
void kept_names__close(struct kept_names *kept);

/*
 * Adds one to names that is not known there, as it went while too much happened at once to be told,
 * with those that it is in. False: its name is not kept.
 */
bool kept_names__recall(struct kept_names *kept, struct cgroup_names *names, __u64 cgroup);

/* What is known of a job beside its path, which cgroups that are gone have told, or processes. */
struct kept_job {
	char jobid[START_ENV_JOBID + 1]; /* what its processes call it; empty: not known */
	char step[JOB_STEP_MAX];	 /* its one step; empty: none */
	bool several_steps;
};

/* To be kept, by the cgroup of the job. */
void kept_names__tell(struct kept_names *kept, __u64 cgroup, const struct kept_job *job);
/* The same, as it was found at the start; NULL: nothing is known. Stays the module's. */
const struct kept_job *kept_names__told(const struct kept_names *kept, __u64 cgroup);

/*
 * To give up those that nobody needs: begin, name each cgroup whose name is needed, and the end
 * gives up the others that have been gone for a minute, or at once if very many have. Those that
 * there are, and those in which any is that is needed, need not be named.
 */
void kept_names__begin(struct kept_names *kept);
void kept_names__need(struct kept_names *kept, __u64 cgroup);
void kept_names__end(struct kept_names *kept);

#endif
