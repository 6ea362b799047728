/* SPDX-License-Identifier: GPL-2.0-only */
/* What tracing costs the node while a session runs, from one reading to the next. */
#ifndef USER_GOVERNOR_NODE_COST_H
#define USER_GOVERNOR_NODE_COST_H

#include "kernel/kernel.h"
#include "report/report.h"
#include "top/meter.h"

/* Where it was not measured, or of too few: what a hit costs. */
#define NODE_COST_VFS_NS   350
#define NODE_COST_BLOCK_NS 500

/* What a hit in a layer of the kernel costs. */
struct hit_measure {
	__u64 run_ns;  /* of its programs, until the last reading */
	double hit_ns; /* 0: not known */
};

/* All zero at first. */
struct node_cost {
	struct top_reading now, before;
	long readings;
	/* What the kernel's programs cost is measured now and then. */
	bool measuring; /* since the last reading */
	bool was_measured;
	struct hit_measure vfs, block;
	__u64 following_ns; /* run time until the last reading */
	double following;   /* of one processor, when it was measured last */
	__u64 looked_at;    /* system calls that no probe counts, at the last reading */
};

/* At a snapshot of the run that this kernel side counts. */
void node_cost__read(struct node_cost *cost, struct kernel *kernel, const struct report_run *run,
		     const struct snapshot *snapshot);
/* What a hit in that layer takes, in ns of CPU time: as measured last, or else a guess. */
double node_cost__hit_ns(const struct node_cost *cost, enum kernel_layer layer);
/* Between the last two readings. */
struct top_cost node_cost__interval(const struct node_cost *cost);

#endif
