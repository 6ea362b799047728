/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Jobs that no cgroup tells, but the environment that their processes were started with. In place
 * of a cgroup's id, series have the number of such a job. Include <linux/types.h> or vmlinux.h
 * first.
 */
#ifndef TMTRACE_ENV_JOB_H
#define TMTRACE_ENV_JOB_H

/* No cgroup's id is that great; TM_JOB_OTHERS has it, too. */
#define TM_ENV_JOB_BIT	    (1ULL << 63)
#define TM_ENV_JOBS	    4095 /* elements of tm_env_jobs; 0 is none of them */
#define TM_ENV_JOBS_OF_USER 512	 /* nobody pushes others' jobs out by making up names */
#define TM_ENV_JOBID	    72	 /* START_ENV_JOBID and a NUL, in words */

enum tm_env_kind {
	TM_ENV_SLURM,
	TM_ENV_PBS,
	TM_ENV_LSF,
	TM_ENV_KINDS,
};

/* What tells them apart; hashed as bytes. */
struct tm_env_name {
	__u64 cgroup; /* that of its processes when they were started */
	__u32 uid;
	__u32 kind;		  /* enum tm_env_kind */
	char jobid[TM_ENV_JOBID]; /* filled up with NUL */
};

/* An element of tm_env_jobs, mmapped; its index is the number, without the bit. */
struct tm_env_job {
	struct tm_env_name name;
	__u64 end_ns; /* CLOCK_MONOTONIC: when live last came to 0 */
	__s32 live;   /* its processes */
	__u32 state;  /* 1: it is in use; written last */
};

/* An element of tm_env_processes: of which job a process is, as long as it is in that cgroup. */
struct tm_env_process {
	__u64 job; /* with the bit; or TM_JOB_OTHERS */
	__u64 cgroup;
};

static inline int tm_env_job_is(__u64 job)
{
	return (job & TM_ENV_JOB_BIT) && job != ~0ULL;
}

#endif
