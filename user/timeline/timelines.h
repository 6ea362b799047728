/* SPDX-License-Identifier: GPL-2.0-only */
/* The timelines of a run, by job and layer, made of what comes from one snapshot to the next. */
#ifndef USER_TIMELINE_TIMELINES_H
#define USER_TIMELINE_TIMELINES_H

#include "drain/drain.h"
#include "timeline/timeline.h"

struct timelines;

/*
 * bytes: of memory that they may take, about. Where they are more, those go of the jobs and layers
 * of which nothing has come for the longest time; where something comes of all, the youngest.
 * doublings: how often the narrowest bins are doubled from the begin. NULL without memory.
 */
struct timelines *timelines__new(size_t bytes, unsigned int doublings);
void timelines__free(struct timelines *timelines); /* NULL is fine */

/*
 * Takes what has come since the read before of the snapshot's drain. The time of what came is the
 * middle between the two reads: of a first read, between start_ns and it. Calls count when they
 * return. What is not told apart any more (TM_JOB_OTHERS) has none. 0 or -ENOMEM.
 */
int timelines__take(struct timelines *timelines, const struct snapshot *snapshot, __u64 start_ns);

/* Adds one to that of a job and layer, of which there may be none yet. 0 or -ENOMEM. */
int timelines__merge(struct timelines *timelines, __u64 job, __u8 layer,
		     const struct timeline *from);

/* Puts all into the snapshot; until the next change. */
void timelines__show(const struct timelines *timelines, struct snapshot *snapshot);

/* How many went, for want of room. */
__u64 timelines__gone(const struct timelines *timelines);

#endif
