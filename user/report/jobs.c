// SPDX-License-Identifier: GPL-2.0-only
#include "report/jobs.h"
#include "report/names.h"

static __u64 job_at(const struct snapshot *snapshot, size_t i)
{
	return snapshot->series[i]->total.key.job;
}

void jobs__start(struct jobs *jobs, const struct snapshot *snapshot)
{
	*jobs = (struct jobs){ .snapshot = snapshot };
	while (jobs->none < snapshot->n_series && !job_at(snapshot, jobs->none))
		jobs->none++;
	jobs->first = jobs->end = jobs->none;
}

bool jobs__next(struct jobs *jobs)
{
	const struct snapshot *snapshot = jobs->snapshot;

	if (jobs->after)
		return false;
	jobs->first = jobs->end;
	if (jobs->first == snapshot->n_series) {
		jobs->after = true;
		jobs->first = 0;
		jobs->end = jobs->none;
		return jobs->none > 0;
	}
	while (jobs->end < snapshot->n_series &&
	       job_at(snapshot, jobs->end) == job_at(snapshot, jobs->first))
		jobs->end++;
	return true;
}

bool jobs__need_title(const struct jobs *jobs, const struct report_run *run)
{
	bool all = jobs->first == 0 && jobs->end == jobs->snapshot->n_series;

	return !all || job_info__is_job(names__job(run, jobs__id(jobs)));
}

__u64 jobs__id(const struct jobs *jobs)
{
	return job_at(jobs->snapshot, jobs->first);
}
