/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known of a job, or of a cgroup that is of none, beside what it did. */
#ifndef USER_JOB_JOB_INFO_H
#define USER_JOB_JOB_INFO_H

#include <stdbool.h>
#include <string.h>
#include <linux/types.h>

/* The kind of what is no job of a scheduler: a unit or slice of systemd. */
#define JOB_UNIT "systemd"

/* The kind, and the name, of all jobs that are not told one by one: TM_JOB_OTHERS. */
#define JOB_OTHERS "other"

/* What is not known of the following. */
#define JOB_UNKNOWN (~0ULL)

/* What all tasks of a job, or cgroup, used since it began. */
struct job_usage {
	__u64 cpu_ns, user_ns, system_ns;
	__u64 memory_peak_bytes; /* the most at one time */
};

struct job_info {
	const char *kind;  /* "slurm", "pbs", ..., JOB_UNIT; NULL: a cgroup of neither */
	const char *jobid; /* as its scheduler, or systemd, calls it; NULL with kind */
	const char *step;  /* NULL: none, or several */
	const char *sluid; /* Slurm's other name of it, in place of jobid while that is not known */
	__u64 start_ns;	   /* CLOCK_REALTIME; 0: before it could be seen */
	__u64 end_ns;	   /* 0: it was not seen to end */
	struct job_usage usage;
	bool is_named; /* by the environment of its processes, who are the user's: */
	__u32 uid;
};

static inline struct job_usage job_usage__unknown(void)
{
	return (struct job_usage){ JOB_UNKNOWN, JOB_UNKNOWN, JOB_UNKNOWN, JOB_UNKNOWN };
}

/* Do all its cgroups count as one? Those of a unit stay apart. */
static inline bool job_info__is_job(const struct job_info *info)
{
	return info && info->kind && strcmp(info->kind, JOB_UNIT) != 0;
}

/* Is it no one job, but all that are not told one by one? */
static inline bool job_info__is_others(const struct job_info *info)
{
	return info && info->kind && strcmp(info->kind, JOB_OTHERS) == 0;
}

/* Had it ended by that time (CLOCK_REALTIME)? */
static inline bool job_info__has_ended(const struct job_info *info, __u64 time_ns)
{
	return info && info->end_ns && info->end_ns <= time_ns;
}

/* Is it not known what it is called, other than by its SLUID? */
static inline bool job_info__is_nameless(const struct job_info *info)
{
	return info->sluid && strcmp(info->jobid, info->sluid) == 0;
}

#endif
