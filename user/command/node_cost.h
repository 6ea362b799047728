/* SPDX-License-Identifier: GPL-2.0-only */
/* What tracing costs the node while a session runs, from one reading to the next. */
#ifndef USER_COMMAND_NODE_COST_H
#define USER_COMMAND_NODE_COST_H

#include "command/session.h"
#include "report/report.h"
#include "top/meter.h"

/* All zero at first. */
struct node_cost {
	struct top_reading now, before;
	long readings;
	/* What a hit in the kernel's layers costs: is measured now and then. */
	bool measuring;	   /* since the last reading */
	__u64 measured_ns; /* what there was then */
	double hit_ns;	   /* 0: not known */
	__u64 looked_at;   /* system calls that no probe counts, at the last reading */
};

/* At a snapshot of the session. */
void node_cost__read(struct node_cost *cost, const struct session *session,
		     const struct report_run *run, const struct snapshot *snapshot);
/* Between the last two readings. */
struct top_cost node_cost__interval(const struct node_cost *cost);

#endif
