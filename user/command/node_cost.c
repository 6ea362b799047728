// SPDX-License-Identifier: GPL-2.0-only
#include <unistd.h>

#include "command/node_cost.h"

/*
 * The first interval, and one in ten, the kernel measures how long the programs of its layers run:
 * that costs a quarter of what they do.
 */
#define MEASURED_EVERY 10

static void measure(struct node_cost *cost, struct kernel *kernel, __u64 looked)
{
	__u64 ns = kernel__run_time(kernel);
	/* Their programs run for these, too, about as long. */
	__u64 hits = cost->now.probes.kernel_hits - cost->before.probes.kernel_hits + looked;
	bool next = cost->readings % MEASURED_EVERY == 0;

	if (cost->measuring && hits)
		cost->hit_ns = (double)(ns - cost->measured_ns) / (double)hits;
	cost->measuring = kernel__measure_time(kernel, next) == 0 && next;
	cost->measured_ns = ns;
}

void node_cost__read(struct node_cost *cost, const struct session *session,
		     const struct report_run *run, const struct snapshot *snapshot)
{
	__u64 looked_at = kernel__looked_at(session->kernel), looked = looked_at - cost->looked_at;

	cost->before = cost->now;
	top_meter__read(&cost->now, run, snapshot);
	cost->looked_at = looked_at;
	cost->now.looking_ns =
		cost->before.looking_ns + (double)looked * kernel__look_ns(session->kernel);
	measure(cost, session->kernel, looked);
	cost->readings++;
}

struct top_cost node_cost__interval(const struct node_cost *cost)
{
	return top_meter__cost(&cost->now, &cost->before,
			       (unsigned int)sysconf(_SC_NPROCESSORS_ONLN),
			       cost->hit_ns > 0 ? cost->hit_ns : -1);
}
