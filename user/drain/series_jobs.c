// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "drain/series_jobs.h"

static int compare_jobs(const void *left, const void *right)
{
	const __u64 *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

int series_jobs__find(struct series_jobs *jobs, const struct tm_series *series, __u32 n)
{
	__u64 last = 0;

	jobs->n = 0;
	for (__u32 slot = 0; slot < n; slot++) {
		__u64 job = series[slot].key.job;

		if (!series__is_live(__atomic_load_n(&series[slot].state, __ATOMIC_ACQUIRE)) ||
		    job == last)
			continue;
		if (array__grow((void **)&jobs->at, &jobs->room, jobs->n, sizeof(*jobs->at)) < 0)
			return -ENOMEM;
		jobs->at[jobs->n++] = last = job;
	}
	if (jobs->n)
		qsort(jobs->at, jobs->n, sizeof(*jobs->at), compare_jobs);
	return 0;
}

void series_jobs__free(struct series_jobs *jobs)
{
	free(jobs->at);
	*jobs = (struct series_jobs){ 0 };
}
