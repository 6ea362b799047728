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

/* Of the hits in between, which may seem to be fewer by a few; negative: not known. */
static double hits_ns(__u64 now, __u64 before, double hit_ns)
{
	if (now <= before)
		return 0;
	return hit_ns < 0 ? -1 : (double)(now - before) * hit_ns;
}

/* What the probes took in between; negative: not known. */
static double probes_ns(const struct probe_cost *now, const struct probe_cost *before,
			const struct top_kernel_cost *kernel)
{
	double vfs = hits_ns(now->vfs_hits, before->vfs_hits, kernel->vfs_ns);
	double block = hits_ns(now->block_hits, before->block_hits, kernel->block_ns);

	if (!now->known || vfs < 0 || block < 0)
		return -1;
	return now->library_ns - before->library_ns + vfs + block;
}

struct top_cost top_meter__cost(const struct top_reading *now, const struct top_reading *before,
				unsigned int cpus, const struct top_kernel_cost *kernel)
{
	double ns = (double)(now->time_ns - before->time_ns), whole = ns * cpus;
	struct top_cost cost = {
		.cpus = cpus,
		.probes_share = -1,
		.other_share = -1,
		.following_share = kernel->following < 0 ? -1 : kernel->following / cpus,
		.probes = now->probes.armed,
		.memory_bytes = now->memory_bytes,
		.lost = now->probes.lost,
	};

	if (whole <= 0)
		return cost;
	cost.own_share = (double)(now->own_ns - before->own_ns) / whole;
	cost.hits_per_s = (double)(now->probes.hits - before->probes.hits) / (ns / NS_PER_S);
	ns = probes_ns(&now->probes, &before->probes, kernel);
	cost.probes_share = ns < 0 ? -1 : ns / whole;
	ns = hits_ns(now->probes.other_hits, before->probes.other_hits, kernel->vfs_ns);
	cost.other_share = ns < 0 ? -1 : (ns + now->looking_ns - before->looking_ns) / whole;
	return cost;
}

struct top_cost top_meter__own(__u64 *own_ns, unsigned int cpus, double seconds)
{
	__u64 now = clock__ns(CLOCK_PROCESS_CPUTIME_ID), before = *own_ns;
	struct top_cost cost = {
		.cpus = cpus,
		.probes_share = -1,
		.other_share = -1,
		.following_share = -1,
		.memory_bytes = own_memory(),
	};

	*own_ns = now;
	if (seconds > 0)
		cost.own_share = (double)(now - before) / NS_PER_S / seconds / cpus;
	return cost;
}
