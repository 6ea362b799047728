/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When cgroups began and ended, and what those that are gone have used, themselves and those that
 * were below them. What is gone is remembered for two minutes.
 */
#ifndef USER_JOB_CGROUP_LIVES_H
#define USER_JOB_CGROUP_LIVES_H

#include <stdbool.h>

#include "job/job_info.h"
#include "tmtrace/cgroup_event.h"

struct cgroup_lives;

struct cgroup_life {
	__u64 start_ns, end_ns; /* CLOCK_REALTIME; 0: not seen */
	/* What it and those below have used that are gone; all of it where it is itself. */
	struct job_usage usage;
};

struct cgroup_lives *cgroup_lives__new(void);	     /* NULL: no memory */
void cgroup_lives__free(struct cgroup_lives *lives); /* NULL is fine */

/* Takes over what the kernel side tells. 0 or -ENOMEM. */
int cgroup_lives__note(struct cgroup_lives *lives, const struct tm_cgroup_event *event);

/*
 * One that was seen before this process was there, by CLOCK_MONOTONIC; 0: not seen. What those in
 * it have used is not known. 0 or -ENOMEM.
 */
int cgroup_lives__restore(struct cgroup_lives *lives, __u64 id, __u64 parent, __u64 made_ns,
			  __u64 gone_ns);

/* The cgroup so many levels above one; false: not all between them were seen to begin. */
bool cgroup_lives__above(const struct cgroup_lives *lives, __u64 id, int levels, __u64 *out);

/* The next one that went since this was asked first; false: there is none now. */
bool cgroup_lives__next_gone(struct cgroup_lives *lives, __u64 *id);

/* false: nothing was told of that cgroup. */
bool cgroup_lives__find(const struct cgroup_lives *lives, __u64 id, struct cgroup_life *out);

#endif
