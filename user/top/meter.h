/* SPDX-License-Identifier: GPL-2.0-only */
/* What tracing costs the node from one moment to the next. */
#ifndef USER_TOP_METER_H
#define USER_TOP_METER_H

#include "report/probe_cost.h"

/* What tracing costs the node, in the interval. */
struct top_cost {
	unsigned int cpus;
	double own_share;	/* of the CPUs, 0-1: this program */
	double probes_share;	/* what the probes took; negative: not known */
	double other_share;	/* beside: system calls that are no operations on files; as above */
	double following_share; /* what following processes took, beside; negative: not known */
	double hits_per_s;	/* of the probes */
	size_t probes;		/* that are armed */
	__u64 memory_bytes;	/* resident */
	__u64 lost;		/* operations and calls, since the start */
	/* Where the service is asked, of probes nothing is known, but of its answer: */
	bool is_asked;
	double answer_s; /* how long it took */
	__u64 answer_bytes;
};

/* Sums since the start. */
struct top_reading {
	__u64 time_ns;	    /* CLOCK_MONOTONIC */
	__u64 own_ns;	    /* CPU time of this process */
	__u64 memory_bytes; /* of this process, now */
	struct probe_cost probes;
	double looking_ns; /* CPU time of system calls that no probe counts */
};

void top_meter__read(struct top_reading *out, const struct report_run *run,
		     const struct snapshot *snapshot);

/* What is measured of the kernel's programs; negative: not known. */
struct top_kernel_cost {
	double vfs_ns, block_ns; /* CPU time that a hit in the layer takes */
	double following;	 /* of one processor, what it takes to follow processes */
};

/* The cost in between, of a node with so many CPUs. */
struct top_cost top_meter__cost(const struct top_reading *now, const struct top_reading *before,
				unsigned int cpus, const struct top_kernel_cost *kernel);

/*
 * The cost of this process alone, in so many seconds. own_ns: its CPU time until then, which is set
 * to that until now.
 */
struct top_cost top_meter__own(__u64 *own_ns, unsigned int cpus, double seconds);

#endif
