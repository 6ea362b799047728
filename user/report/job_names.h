/* SPDX-License-Identifier: GPL-2.0-only */
/* What jobs are called: by their schedulers, and by their cgroups. */
#ifndef USER_REPORT_JOB_NAMES_H
#define USER_REPORT_JOB_NAMES_H

#include <stdbool.h>

#include "report/report.h"

/* Is a cgroup, or one above it, called so? job: a path from the root, its end, or a job's number.
 */
bool job_names__match(const char *job, const char *cgroup);

/* Is a job called so, by its scheduler or by its cgroup? */
bool job_names__has(const struct report_run *run, __u64 job, const char *name);

/*
 * A job has a name only if it has all of that name's marks: few others have them, too, and marks
 * are compared without a look at names. A Bloom filter over the parts between slashes.
 */
__u64 job_names__marks_of(const char *name);
/* Those of all that a job is called now; all there are, where that is not known. */
__u64 job_names__marks(const struct report_run *run, __u64 job);

#endif
