/* SPDX-License-Identifier: GPL-2.0-only */
/* The files and objects of a recording while it is read. */
#ifndef USER_RECORDING_RECORDED_OBJECTS_H
#define USER_RECORDING_RECORDED_OBJECTS_H

#include "base/pack.h"
#include "drain/drain.h"

struct recorded_objects;

struct recorded_objects *recorded_objects__new(void); /* NULL: no memory */
void recorded_objects__free(struct recorded_objects *all);

/* Forgets all. */
void recorded_objects__clear(struct recorded_objects *all);

/*
 * The state of a place, or what is there is called so. -EBADMSG where it makes no sense, or
 * -ENOMEM.
 */
int recorded_objects__take(struct recorded_objects *all, __u64 place, struct unpack *unpack);
int recorded_objects__name(struct recorded_objects *all, __u64 place, struct unpack *unpack);

/* Nothing is at a place any more; fine where nothing was. */
void recorded_objects__forget(struct recorded_objects *all, __u64 place);

/* Puts them into a snapshot, in its order; until the next change. 0 or -ENOMEM. */
int recorded_objects__show(struct recorded_objects *all, struct snapshot *snapshot);

#endif
