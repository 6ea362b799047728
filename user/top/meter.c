// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "top/meter.h"

/* Resident memory; 0 where /proc does not tell. */
static __u64 own_memory(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long long pages = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%*u %llu", &pages) != 1)
		pages = 0;
	fclose(file);
	return pages * (__u64)sysconf(_SC_PAGESIZE);
}

void top_meter__read(struct top_reading *out, const struct report_run *run,
		     const struct snapshot *snapshot)
{
	*out = (struct top_reading){
		.time_ns = snapshot->monotonic_ns,
		.own_ns = clock__ns(CLOCK_PROCESS_CPUTIME_ID),
		.memory_bytes = own_memory(),
		.probes = probe_cost__sum(run, snapshot),
	};
}

/* What the probes took in between; negative: not known. */
static double probes_ns(const struct probe_cost *now, const struct probe_cost *before,
			double hit_ns)
{
	__u64 hits = now->kernel_hits - before->kernel_hits;

	if (!now->known || (hits && hit_ns < 0))
		return -1;
	return now->library_ns - before->library_ns + (hits ? (double)hits * hit_ns : 0);
}

struct top_cost top_meter__cost(const struct top_reading *now, const struct top_reading *before,
				unsigned int cpus, double hit_ns)
{
	double ns = (double)(now->time_ns - before->time_ns), whole = ns * cpus;
	struct top_cost cost = {
		.cpus = cpus,
		.probes_share = -1,
		.probes = now->probes.armed,
		.memory_bytes = now->memory_bytes,
		.lost = now->probes.lost,
	};

	if (whole <= 0)
		return cost;
	cost.own_share = (double)(now->own_ns - before->own_ns) / whole;
	cost.hits_per_s = (double)(now->probes.hits - before->probes.hits) / (ns / NS_PER_S);
	ns = probes_ns(&now->probes, &before->probes, hit_ns);
	cost.probes_share = ns < 0 ? -1 : (ns + now->looking_ns - before->looking_ns) / whole;
	return cost;
}

struct top_cost top_meter__own(__u64 *own_ns, unsigned int cpus, double seconds)
{
	__u64 now = clock__ns(CLOCK_PROCESS_CPUTIME_ID), before = *own_ns;
	struct top_cost cost = {
		.cpus = cpus,
		.probes_share = -1,
		.memory_bytes = own_memory(),
	};

	*own_ns = now;
	if (seconds > 0)
		cost.own_share = (double)(now - before) / NS_PER_S / seconds / cpus;
	return cost;
}
