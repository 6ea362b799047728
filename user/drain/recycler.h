/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes room in the table of series. What the kernel side has counted for a cgroup that is gone
 * becomes its job's, in slots of the loader's own, and the cgroup's slots are used again; what jobs
 * that ended long ago have becomes that of TM_JOB_OTHERS. All figures stay in the table: every
 * drain sees the same sums before and after.
 */
#ifndef USER_DRAIN_RECYCLER_H
#define USER_DRAIN_RECYCLER_H

#include <stdbool.h>

#include "base/error.h"
#include "drain/drain.h"
#include "job/job_ends.h"

struct recycler;

struct recycler_limits {
	unsigned int jobs; /* that ended and are kept one by one; 0: as many as there is room for */
	__u64 age_ns;	   /* and for how long; 0: for ever */
};

/* series: of drain__map(), which must outlive it, as the jobs. 0 and *out, or -ENOMEM. */
int recycler__new(struct recycler **out, const struct drain_maps *fds, struct grown_map *series,
		  const struct job_ends *jobs, const struct recycler_limits *limits,
		  struct error *err);
void recycler__free(struct recycler *recycler); /* NULL is fine */

/* How often it is to be tended, in seconds. */
#define RECYCLER_TEND_S 1.0

/*
 * Takes over which cgroups are gone, and gives back what did not move since the last time: whoever
 * was about to count then is done. 0, or a negative errno: then it is tried again.
 */
int recycler__tend(struct recycler *recycler);

/*
 * All figures were told as they were at that time (CLOCK_REALTIME): jobs that had ended by then may
 * go among others. Those that were not told do so only where the table is nearly full.
 */
void recycler__note_told(struct recycler *recycler, __u64 time_ns);
/* Do some have to go, which wait for being told? */
bool recycler__wants_telling(const struct recycler *recycler);

/* How many times a slot has got another key, or none. */
const __u64 *recycler__changes(const struct recycler *recycler);

#endif
