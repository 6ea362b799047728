/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Puts calls that come as they ended in the order in which slices of a trace begin and end: by
 * thread, outer calls first, each ended before the next one beside it begins. A call that overlaps
 * with another one of its thread, as on stacks between which it switches, is told apart.
 */
#ifndef USER_EXPORT_NEST_H
#define USER_EXPORT_NEST_H

#include <linux/types.h>

#include "tmtrace/call.h"

struct nest;

/* Who gets them. track: 0 is -ENOMEM. */
struct nest_target {
	void *context;
	__u64 (*track)(void *context, const struct tm_call *call);  /* of a call's thread */
	__u64 (*beside)(void *context, const struct tm_call *call); /* of one that overlaps */
	void (*begin)(void *context, const struct tm_call *call, __u64 track);
	void (*end)(void *context, const struct tm_call *call, __u64 track);
};

struct nest *nest__new(void); /* NULL without memory */
void nest__free(struct nest *nest);

/* A call, which stays where it is until nest__put(). 0 or -ENOMEM. */
int nest__add(struct nest *nest, const struct tm_call *call);
/* Tells of all that were added, and forgets them. 0 or -ENOMEM. */
int nest__put(struct nest *nest, const struct nest_target *target);

#endif
