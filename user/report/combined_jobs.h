/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The jobs of several runs, with numbers that are the same for all: a scheduler's job by its name,
 * wherever its cgroups are, other cgroups by their path.
 */
#ifndef USER_REPORT_COMBINED_JOBS_H
#define USER_REPORT_COMBINED_JOBS_H

#include "report/report_part.h"

struct combined_jobs;

struct combined_jobs *combined_jobs__new(void);	      /* NULL: no memory */
void combined_jobs__free(struct combined_jobs *jobs); /* NULL is fine */

/* The common number of a part's job in *out; 0 stays 0. 0 or -ENOMEM. */
int combined_jobs__number(struct combined_jobs *jobs, const struct report_part *part, __u64 job,
			  __u64 *out);

/* By the common number. A path that is not the same in all parts is NULL, as is such a step. */
const char *combined_jobs__path(const struct combined_jobs *jobs, __u64 job);
const struct job_info *combined_jobs__info(const struct combined_jobs *jobs, __u64 job);

#endif
