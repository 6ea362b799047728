/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps the timelines of a run. It reads the counters with a drain of its own, as often as bins are
 * long.
 */
#ifndef USER_SESSION_TIMEKEEPER_H
#define USER_SESSION_TIMEKEEPER_H

#include "base/loop.h"
#include "drain/drain.h"
#include "timeline/timelines.h"

struct timekeeper;

/*
 * other: a drain of the session, and jobs what it maps, which must outlive it; bytes as of
 * timelines__new(). start_ns: since when there is something (ns since 1970). 0, or -ENOMEM.
 */
int timekeeper__open(struct timekeeper **out, const struct drain *other, const struct job_map *jobs,
		     size_t bytes, __u64 start_ns);
void timekeeper__close(struct timekeeper *keeper); /* NULL is fine */

/* Has it read from the loop. 0, or a negative errno. */
int timekeeper__watch(struct timekeeper *keeper, struct loop *loop);

/* Reads now, and shows what there is in the snapshot until the next read. 0, or a negative errno.
 */
int timekeeper__show(struct timekeeper *keeper, struct snapshot *snapshot, struct error *err);

/* Timelines that were let go for want of room. */
__u64 timekeeper__gone(const struct timekeeper *keeper);

#endif
