// SPDX-License-Identifier: GPL-2.0-only
#include <unistd.h>

#include "governor/node_cost.h"

/*
 * The first interval, and one in 40, the kernel measures how long the programs of its layers run:
 * that costs a quarter of what they do, and to begin and to end it some ms of CPU time.
 */
#define MEASURED_EVERY 40

/* Of fewer hits nothing is told by what they took; more than so much is no cost of a hit. */
#define LEAST_HITS 200
#define MOST_NS	   20000

/* The programs ran for so many hits; what cannot be is not believed. */
static void measure_hits(struct hit_measure *measure, bool measured, __u64 run_ns, __u64 hits,
			 double beside_ns)
{
	double ns = hits ? (double)(run_ns - measure->run_ns) / (double)hits + beside_ns : 0;

	if (measured && hits >= LEAST_HITS && ns <= MOST_NS)
		measure->hit_ns = ns;
	measure->run_ns = run_ns;
}

static void measure_node(struct node_cost *cost, struct kernel *kernel, __u64 looked)
{
	const struct top_reading *now = &cost->now, *before = &cost->before;
	bool measured = cost->measuring, next = cost->readings % MEASURED_EVERY == 0;
	__u64 following;

	/* Else nothing has moved, and to read it of each program takes a millisecond. */
	if (!measured && !next)
		return;
	following = kernel__run_time(kernel, RUN_TIME_FOLLOWING);
	/* The programs of vfs run for what is looked at, too, about as long. */
	measure_hits(&cost->vfs, measured, kernel__run_time(kernel, RUN_TIME_VFS),
		     now->probes.vfs_hits - before->probes.vfs_hits + now->probes.other_hits -
			     before->probes.other_hits + looked,
		     kernel__beside_ns(kernel));
	measure_hits(&cost->block, measured, kernel__run_time(kernel, RUN_TIME_BLOCK),
		     now->probes.block_hits - before->probes.block_hits, 0);
	if (measured && now->time_ns > before->time_ns)
		cost->following = (double)(following - cost->following_ns) /
				  (double)(now->time_ns - before->time_ns);
	cost->following_ns = following;
	cost->measuring = kernel__measure_time(kernel, next) == 0 && next;
	cost->was_measured |= measured;
}

void node_cost__read(struct node_cost *cost, struct kernel *kernel, const struct report_run *run,
		     const struct snapshot *snapshot)
{
	__u64 looked_at = kernel__looked_at(kernel), looked = looked_at - cost->looked_at;

	cost->before = cost->now;
	top_meter__read(&cost->now, run, snapshot);
	cost->looked_at = looked_at;
	cost->now.looking_ns = cost->before.looking_ns + (double)looked * kernel__look_ns(kernel);
	measure_node(cost, kernel, looked);
	cost->readings++;
}

double node_cost__hit_ns(const struct node_cost *cost, enum kernel_layer layer)
{
	double measured = layer == KERNEL_VFS ? cost->vfs.hit_ns : cost->block.hit_ns;

	if (measured > 0)
		return measured;
	return layer == KERNEL_VFS ? NODE_COST_VFS_NS : NODE_COST_BLOCK_NS;
}

struct top_cost node_cost__interval(const struct node_cost *cost)
{
	bool known = cost->was_measured;
	const struct top_kernel_cost kernel = {
		.vfs_ns = known ? node_cost__hit_ns(cost, KERNEL_VFS) : -1,
		.block_ns = known ? node_cost__hit_ns(cost, KERNEL_BLOCK) : -1,
		.following = known ? cost->following : -1,
	};

	return top_meter__cost(&cost->now, &cost->before,
			       (unsigned int)sysconf(_SC_NPROCESSORS_ONLN), &kernel);
}
