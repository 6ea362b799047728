// SPDX-License-Identifier: GPL-2.0-only
#include "job/job_usage.h"

void job_usage__divide(struct job_usage *usage, __u64 user_ticks, __u64 system_ticks)
{
	double ticks = (double)user_ticks + (double)system_ticks;

	usage->system_ns = 0;
	if (ticks > 0)
		usage->system_ns = (__u64)((double)usage->cpu_ns * ((double)system_ticks / ticks));
	usage->user_ns = usage->cpu_ns - usage->system_ns;
}

static __u64 sum_of(__u64 a, __u64 b)
{
	return a == JOB_UNKNOWN || b == JOB_UNKNOWN ? JOB_UNKNOWN : a + b;
}

struct job_usage job_usage__sum(const struct job_usage *a, const struct job_usage *b)
{
	return (struct job_usage){
		.cpu_ns = sum_of(a->cpu_ns, b->cpu_ns),
		.user_ns = sum_of(a->user_ns, b->user_ns),
		.system_ns = sum_of(a->system_ns, b->system_ns),
		.memory_peak_bytes = a->memory_peak_bytes > b->memory_peak_bytes
					     ? a->memory_peak_bytes
					     : b->memory_peak_bytes,
	};
}
