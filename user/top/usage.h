/* SPDX-License-Identifier: GPL-2.0-only */
/* How many processors each job uses, from what it has used so far, which is told now and then. */
#ifndef USER_TOP_USAGE_H
#define USER_TOP_USAGE_H

#include <linux/types.h>

struct top_usage;

struct top_usage *top_usage__new(void);	       /* NULL: no memory */
void top_usage__free(struct top_usage *usage); /* NULL is fine */

/*
 * A job has used so much CPU time by now (ns of any clock that only goes on). Returns how many
 * processors that were between the last two times that it had become more; negative: not known.
 */
double top_usage__processors(struct top_usage *usage, __u64 job, __u64 cpu_ns, __u64 now_ns);

#endif
