/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known of a job beside what it did. */
#ifndef USER_JOB_JOB_INFO_H
#define USER_JOB_JOB_INFO_H

#include <stdbool.h>
#include <string.h>

/* The kind of what is no job of a scheduler: a unit or slice of systemd. */
#define JOB_UNIT "systemd"

struct job_info {
	const char *kind;  /* "slurm", "pbs", ..., JOB_UNIT */
	const char *jobid; /* as its scheduler, or systemd, calls it */
	const char *step;  /* NULL: none, or several */
};

/* Do all its cgroups count as one? Those of a unit stay apart. */
static inline bool job_info__is_job(const struct job_info *info)
{
	return info && strcmp(info->kind, JOB_UNIT) != 0;
}

#endif
