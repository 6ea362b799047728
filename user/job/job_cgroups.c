// SPDX-License-Identifier: GPL-2.0-only
#include "host/cgroup_names.h"
#include "job/job_cgroups.h"
#include "job/job_patterns.h"

void job_cgroups__tell(const struct job_cgroups *cgroups, __u64 id, const char *path)
{
	struct job_match match;

	if (cgroups->maps && job_patterns__match(cgroups->patterns, path, &match))
		env_jobs__leave_out(cgroups->maps, id);
}

static void tell(void *context, __u64 id, const char *path)
{
	job_cgroups__tell(context, id, path);
}

void job_cgroups__tell_all(const struct job_cgroups *cgroups, const struct cgroup_names *names)
{
	cgroup_names__each(names, tell, (void *)cgroups);
}
