// SPDX-License-Identifier: GPL-2.0-only
#include <unistd.h>

#include "base/clock.h"
#include "governor/node_cost.h"

/*
 * The kernel measures how long the programs of its layers run in the first interval, and in one of
 * 40. That costs a quarter of what they do, and some ms of CPU time to begin and to end it, as the
 * kernel patches its own code for it. So where programs do little it goes on until they do more:
 * all of the machine's, as it is these that the kernel measures.
 */
#define MEASURED_EVERY	  40
#define LITTLE_PER_SECOND 10000 /* runs: at 50 ns each, 0.05 % of a processor */

/* Of fewer hits nothing is told by what they took; more than so much is no cost of a hit. */
#define LEAST_HITS 200
#define MOST_NS	   20000

/* What the kernel has counted of the programs until now. */
static struct hit_counts count_hits(const struct node_cost *cost)
{
	const struct probe_cost *probes = &cost->now.probes;

	return (struct hit_counts){
		.time_ns = cost->now.time_ns,
		/* The programs of vfs run for what is looked at, too, about as long. */
		.vfs = probes->vfs_hits + probes->other_hits + cost->looked_at,
		.block = probes->block_hits,
	};
}

static void read_run_times(struct hit_counts *counts, const struct kernel *kernel)
{
	counts->vfs_ns = kernel__run_time(kernel, RUN_TIME_VFS);
	counts->block_ns = kernel__run_time(kernel, RUN_TIME_BLOCK);
	counts->following_ns = kernel__run_time(kernel, RUN_TIME_FOLLOWING);
}

/* The programs ran so long for so many hits; what cannot be is not believed. */
static void measure_hits(double *hit_ns, __u64 run_ns, __u64 hits, double beside_ns)
{
	double ns = hits ? (double)run_ns / (double)hits + beside_ns : 0;

	if (hits >= LEAST_HITS && ns <= MOST_NS)
		*hit_ns = ns;
}

/* Since the last reading. */
static bool did_little(struct node_cost *cost)
{
	double seconds = (double)(cost->now.time_ns - cost->before.time_ns) / NS_PER_S;
	__u64 runs = run_time__count_all(), before = cost->runs;

	cost->runs = runs;
	return runs > before && (double)(runs - before) < LITTLE_PER_SECOND * seconds;
}

static void measure_node(struct node_cost *cost, struct kernel *kernel)
{
	struct hit_counts now = count_hits(cost), *since = &cost->since;
	bool next = cost->readings % MEASURED_EVERY == 0;
	bool goes_on = cost->measuring && (did_little(cost) || next);

	/* Else nothing has moved, or it is known; to read it of each program takes a millisecond.
	 */
	if (!next && (!cost->measuring || (goes_on && cost->was_measured)))
		return;
	read_run_times(&now, kernel);
	if (cost->measuring && now.time_ns > since->time_ns) {
		measure_hits(&cost->vfs_ns, now.vfs_ns - since->vfs_ns, now.vfs - since->vfs,
			     kernel__beside_ns(kernel));
		measure_hits(&cost->block_ns, now.block_ns - since->block_ns,
			     now.block - since->block, 0);
		cost->following = (double)(now.following_ns - since->following_ns) /
				  (double)(now.time_ns - since->time_ns);
		cost->was_measured = true;
	}
	cost->since = now;
	if (goes_on)
		return;
	cost->measuring = kernel__measure_time(kernel, next) == 0 && next;
	if (cost->measuring)
		cost->runs = run_time__count_all();
}

void node_cost__read(struct node_cost *cost, struct kernel *kernel, const struct report_run *run,
		     const struct snapshot *snapshot)
{
	__u64 looked_at = kernel__looked_at(kernel), looked = looked_at - cost->looked_at;

	cost->before = cost->now;
	top_meter__read(&cost->now, run, snapshot);
	cost->looked_at = looked_at;
	cost->now.looking_ns = cost->before.looking_ns + (double)looked * kernel__look_ns(kernel);
	measure_node(cost, kernel);
	cost->readings++;
}

double node_cost__hit_ns(const struct node_cost *cost, enum kernel_layer layer)
{
	double measured = layer == KERNEL_VFS ? cost->vfs_ns : cost->block_ns;

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
