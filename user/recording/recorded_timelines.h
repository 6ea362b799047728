/* SPDX-License-Identifier: GPL-2.0-only */
/* The timelines of a recording while it is read. */
#ifndef USER_RECORDING_RECORDED_TIMELINES_H
#define USER_RECORDING_RECORDED_TIMELINES_H

#include "base/pack.h"
#include "drain/drain.h"

struct recorded_timelines;

struct recorded_timelines *recorded_timelines__new(void); /* NULL: no memory */
void recorded_timelines__free(struct recorded_timelines *all);

/* Forgets all. */
void recorded_timelines__clear(struct recorded_timelines *all);

/* The state of a number. -EBADMSG where it makes no sense, or -ENOMEM. */
int recorded_timelines__take(struct recorded_timelines *all, __u64 number, struct unpack *unpack);
/* There is none of this number any more; fine where there was none. */
void recorded_timelines__forget(struct recorded_timelines *all, __u64 number);

/* Puts them into a snapshot, in its order; until the next change. */
void recorded_timelines__show(struct recorded_timelines *all, struct snapshot *snapshot);

#endif
