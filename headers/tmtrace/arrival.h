/* SPDX-License-Identifier: GPL-2.0-only */
/* A process that has come into the traced cgroup with what it maps: told through tm_arrivals. */
#ifndef TMTRACE_ARRIVAL_H
#define TMTRACE_ARRIVAL_H

struct tm_arrival {
	__u64 time; /* CLOCK_MONOTONIC, ns */
	__u32 tgid;
	__u32 pad;
};

#endif
