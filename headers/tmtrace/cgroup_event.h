/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cgroups that come, go and get other names, through tm_cgroups: who looks for their paths later
 * finds short ones gone.
 */
#ifndef TMTRACE_CGROUP_EVENT_H
#define TMTRACE_CGROUP_EVENT_H

#define TM_CGROUP_NAME	 256	    /* NAME_MAX and a NUL */
#define TM_CGROUPS_BYTES (1U << 18) /* of the ring buffer: some 850 of them */

enum tm_cgroup_what {
	TM_CGROUP_MADE,
	TM_CGROUP_RENAMED, /* version 1 alone can */
	TM_CGROUP_GONE,
};

/* What is not known. */
#define TM_CGROUP_UNKNOWN (~0ULL)

struct tm_cgroup_event {
	__u64 id, parent; /* as struct tm_key has jobs */
	__u64 time_ns;	  /* CLOCK_MONOTONIC */
	/* Of one that is gone: of its tasks, without those of cgroups below, as cpu.stat tells. */
	__u64 cpu_ns, user_ns, system_ns;
	__u64 memory_peak_bytes;   /* with those below, as memory.peak tells */
	__u32 what;		   /* enum tm_cgroup_what */
	char name[TM_CGROUP_NAME]; /* the last part of its path */
	__u32 pad;
};

#endif
