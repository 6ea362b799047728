/* SPDX-License-Identifier: GPL-2.0-only */
/* Adding up what jobs have used. */
#ifndef USER_JOB_JOB_USAGE_H
#define USER_JOB_JOB_USAGE_H

#include "job/job_info.h"

/*
 * Sets how much of cpu_ns was in the kernel, and how much not: by ticks that is known, and cpu.stat
 * tells it so, too.
 */
void job_usage__divide(struct job_usage *usage, __u64 user_ticks, __u64 system_ticks);

/* Of two that were one after the other; what is not known of one is not of both. */
struct job_usage job_usage__sum(const struct job_usage *a, const struct job_usage *b);

#endif
