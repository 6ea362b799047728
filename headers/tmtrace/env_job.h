/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Jobs that no cgroup tells, but the environment that their processes were started with. In place
 * of a cgroup's id, series have the number of such a job. Include <linux/types.h> or vmlinux.h
 * first.
 *
 *   tm_env_jobs       array, mmapped: one struct tm_env_job per index
 *   tm_env_names      hash: struct tm_env_name -> number
 *   tm_env_processes  hash: pid -> struct tm_env_process
 *   tm_job_cgroups    hash: id of a cgroup that is of a job by its path: nobody is asked there
 */
#ifndef TMTRACE_ENV_JOB_H
#define TMTRACE_ENV_JOB_H

/* No cgroup's id is that great; TM_JOB_OTHERS has both. */
#define TM_ENV_JOB_BIT	(1ULL << 63)
#define TM_ENV_REST_BIT (1ULL << 62) /* those in a cgroup that there was no number for */

/*
 * A number is an index and behind it how often that was given out, so that no number ever stands
 * for two jobs.
 */
#define TM_ENV_INDEX_BITS   12
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

/* CPU time: as the scheduler measured it, and by ticks how it was divided; nanoseconds. */
struct tm_env_usage {
	__u64 run_ns, user_ns, system_ns;
};

enum tm_env_state {
	TM_ENV_FREE,
	TM_ENV_CLAIMED, /* about to get a name */
	TM_ENV_USED,
	TM_ENV_LEAVING, /* its name is gone, so that it gets no more processes, and it may soon be
			   free */
};

/* An element of tm_env_jobs. */
struct tm_env_job {
	struct tm_env_name name;
	__u64 serial;		     /* how often it was given out */
	__u64 start_ns;		     /* CLOCK_MONOTONIC; 0: it was there before the tracing */
	__u64 end_ns;		     /* the same: when live last came to 0 */
	struct tm_env_usage ended;   /* of threads that ended */
	struct tm_env_usage running; /* of those that ran when they were last asked */
	__s32 live;		     /* its processes */
	__u32 state;		     /* enum tm_env_state, written last */
};

/* What is not known of some processes. */
enum tm_env_loss {
	TM_ENV_CROWDED, /* their job: there was no room for so many of such jobs */
	TM_ENV_UNREAD,	/* the same: their environment could not be read */
	TM_ENV_UNTIMED, /* of threads: the CPU time */
	TM_ENV_LOSSES,
};

/* An element of tm_env_processes: of which job a process is, as long as it is in that cgroup. */
struct tm_env_process {
	__u64 job; /* with the bit */
	__u64 cgroup;
	__u64 born_ns; /* the kernel's start time of the process: with its pid, unique */
	struct tm_env_usage
		before; /* of its first thread, from when it was of no job, or another one */
	__u32 image;	/* how often it had called exec */
	__u32 pad;
};

static inline int tm_env_job_is(__u64 job)
{
	return (job & TM_ENV_JOB_BIT) && job != ~0ULL;
}

static inline int tm_env_rest_is(__u64 job)
{
	return tm_env_job_is(job) && (job & TM_ENV_REST_BIT);
}

/* What a cgroup's processes are of that there was no number for; and that cgroup. */
static inline __u64 tm_env_rest(__u64 cgroup)
{
	return TM_ENV_JOB_BIT | TM_ENV_REST_BIT | cgroup;
}

static inline __u64 tm_env_rest_cgroup(__u64 rest)
{
	return rest & (TM_ENV_REST_BIT - 1);
}

static inline __u64 tm_env_number(__u32 index, __u64 serial)
{
	return TM_ENV_JOB_BIT | serial << TM_ENV_INDEX_BITS | index;
}

/* The index of a number; 0: it has none. */
static inline __u32 tm_env_index(__u64 number)
{
	__u32 index = number & ((1U << TM_ENV_INDEX_BITS) - 1);

	return tm_env_job_is(number) && !tm_env_rest_is(number) && index < TM_ENV_JOBS ? index : 0;
}

#endif
