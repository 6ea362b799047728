/* SPDX-License-Identifier: GPL-2.0-only */
/* Jobs that are named by the environment: their processes are followed. */
#ifndef BPF_ENV_JOB_BPF_H
#define BPF_ENV_JOB_BPF_H

#include "env_maps.bpf.h"

/* The current process executes another program: what its environment says holds from now on. */
int env_job__exec(void);
/* A child of the current process, whose task is at that address, is of its job. */
int env_job__fork(u64 child);
/* The current thread ends: what it has used is its job's. The last one ends the process. */
int env_job__exit(void);

/* How a process comes to its job. */
enum env_job_how {
	ENV_JOB_EXEC,
	ENV_JOB_FORK,
	ENV_JOB_FOUND, /* it ran before the tracing */
};

/* The number of the job whose name is in the current task's scratch; a new one began then. */
u64 env_job__number(u64 start_ns);
/* From now on the process of the task at that address, in a cgroup, is of that job. */
int env_job__join(u64 task, u64 number, u64 cgroup, u32 how);
/* A process is of no job any more. */
int env_job__leave(u32 tgid);

/* The number of the job of that kind whose id is in the current task's scratch, for another task.
 */
TM_INLINE u64 env_job__named(struct tm_env_scratch *scratch, struct task_struct *task, u64 cgroup,
			     u32 kind, u64 start_ns)
{
	if (kind >= TM_ENV_KINDS)
		return 0;
	scratch->name.cgroup = cgroup;
	scratch->name.uid = BPF_CORE_READ(task, cred, uid.val);
	scratch->name.kind = kind;
	return env_job__number(start_ns);
}

/* The element of a job's number; NULL: it is nobody's, or another job has it meanwhile. */
TM_INLINE struct tm_env_job *env_job__at(u64 number)
{
	u32 index = tm_env_index(number);
	struct tm_env_job *job = index ? bpf_map_lookup_elem(&tm_env_jobs, &index) : NULL;

	return job && tm_env_number(index, job->serial) == number ? job : NULL;
}

#endif
