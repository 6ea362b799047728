// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/hash.h"
#include "report/job_names.h"
#include "report/names.h"

bool job_names__match(const char *job, const char *cgroup)
{
	size_t length = strlen(job);
	const char *at = cgroup;

	while ((at = strstr(at, job)) != NULL) {
		bool starts = job[0] == '/' ? at == cgroup : at > cgroup && at[-1] == '/';

		if (starts && (!at[length] || at[length] == '/'))
			return true;
		at++;
	}
	return false;
}

bool job_names__has(const struct report_run *run, __u64 job, const char *name)
{
	const char *jobid = job ? names__called(run, job) : NULL, *cgroup;

	if (jobid && !strcmp(jobid, name))
		return true;
	cgroup = job ? names__cgroup(run, job) : NULL;
	return cgroup && job_names__match(name, cgroup);
}

/* Two of 64: of six parts, a path has a fifth of all, and one part of another in 30 cases. */
static __u64 marks_of_part(const char *part, size_t length)
{
	__u64 spread = hash__number(hash__bytes(HASH_NOTHING, part, length));

	return 1ULL << (spread >> 58) | 1ULL << (spread >> 52 & 63);
}

__u64 job_names__marks_of(const char *name)
{
	__u64 marks = 0;
	size_t length;

	for (; *name; name += length) {
		name += strspn(name, "/");
		length = strcspn(name, "/");
		if (length)
			marks |= marks_of_part(name, length);
	}
	return marks;
}

__u64 job_names__marks(const struct report_run *run, __u64 job)
{
	const char *jobid = job ? names__called(run, job) : NULL, *cgroup;
	__u64 marks = jobid ? job_names__marks_of(jobid) : 0;

	cgroup = job ? names__cgroup(run, job) : NULL;
	return cgroup ? marks | job_names__marks_of(cgroup) : ~0ULL;
}
