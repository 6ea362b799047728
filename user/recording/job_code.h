/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known of a job as bytes. */
#ifndef USER_RECORDING_JOB_CODE_H
#define USER_RECORDING_JOB_CODE_H

#include "base/pack.h"
#include "job/job_info.h"

/* The names of a job that was read: views, with at NULL where there is none. */
struct job_names {
	struct unpack_text kind, jobid, step, sluid;
};

void job_code__pack(struct pack *pack, const struct job_info *info);
/* Numbers go into *info, whose strings are left alone. */
void job_code__unpack(struct job_info *info, struct job_names *names, struct unpack *unpack);

#endif
