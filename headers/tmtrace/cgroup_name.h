/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of cgroups that outlive the loader: the kernel side notes each cgroup when it is made, so
 * that a service that was killed, and started again, knows what those were called that are gone.
 * Include <linux/types.h> or vmlinux.h first.
 *
 *   tm_cgroup_names  array, mmapped: struct tm_cgroup_name, at one of TM_CGROUP_PLACES
 */
#ifndef TMTRACE_CGROUP_NAME_H
#define TMTRACE_CGROUP_NAME_H

#include "tmtrace/cgroup_event.h"

#define TM_CGROUP_NAMES	 8192 /* elements, a power of two */
#define TM_CGROUP_PLACES 32
/* Of those that users made, no more: nobody pushes others' out by making cgroups. */
#define TM_CGROUP_NAMES_OF_USERS (TM_CGROUP_NAMES / 2)
#define TM_CGROUP_TOLD		 72 /* START_ENV_JOBID and a NUL, in words */

#define TM_CGROUP_STEP 64 /* JOB_STEP_MAX */

/* In the place of an id: somebody is about to write there. */
#define TM_CGROUP_CLAIMED (~0ULL)

struct tm_cgroup_name {
	__u64 id; /* 0: nothing is here; written last */
	__u64 parent;
	__u64 made_ns;		   /* CLOCK_MONOTONIC; 0: before the tracing */
	__u64 gone_ns;		   /* the same; 0: it is there */
	__u32 of_user;		   /* it counts as one of TM_CGROUP_NAMES_OF_USERS */
	__u32 several_steps;	   /* of the job, there is no one step */
	char step[TM_CGROUP_STEP]; /* the one that the job has; empty: not known, or none */
	char told[TM_CGROUP_TOLD]; /* what its processes call the job; empty: not known */
	char name[TM_CGROUP_NAME]; /* the last part of its path */
};

/* The i-th place at which a cgroup may be (Knuth's multiplicative hash, and linear probing). */
static inline __u32 tm_cgroup_place(__u64 id, __u32 i)
{
	return (__u32)((id * 0x9e3779b97f4a7c15ULL >> 32) + i) & (TM_CGROUP_NAMES - 1);
}

#endif
