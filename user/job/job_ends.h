/* SPDX-License-Identifier: GPL-2.0-only */
/* Which cgroups are gone, and which jobs have ended: of a table of jobs, or of a test. */
#ifndef USER_JOB_JOB_ENDS_H
#define USER_JOB_JOB_ENDS_H

#include <stdbool.h>
#include <stddef.h>

#include "job/job_map.h"

struct job_ends {
	struct job_map map;
	/* The next cgroup that was seen to go; false: there is no further one now. */
	bool (*next_gone)(void *context, __u64 *cgroup);
	/* Asks whether a cgroup is gone that was not seen to go. */
	bool (*is_gone)(void *context, __u64 cgroup);
	/* When a job ended (CLOCK_REALTIME); 0: it has not. */
	__u64 (*end_of)(void *context, __u64 job);
	/* It is among others now, and nobody will ask for it. */
	void (*forget)(void *context, __u64 job);
	/*
	 * There are series of these n jobs alone, cgroups or numbers, in order; of what is over and
	 * not among them there will be none. NULL: nobody wants to know.
	 */
	void (*keep)(void *context, const __u64 *jobs, size_t n);
	void *context;
};

#endif
