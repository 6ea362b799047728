// SPDX-License-Identifier: GPL-2.0-only
/*
 * Goes through all tasks for the loader: to find those that ran before the tracing and whose
 * environment names a job, and to add up what those of such jobs have used.
 */
#include "env_job.bpf.h"
#include "env_text.bpf.h"
#include "number.bpf.h"
#include "scope.bpf.h"

#define PF_EXITING 0x00000004 /* linux/sched.h */

/* An environment, of which a block is here. */
struct walk {
	u64 at, end;
	u64 base; /* where the block was */
	u64 bytes;
	struct task_struct *task;
	struct tm_env_scratch *scratch;
	struct tm_env_block *block;
	struct env_text text;
};

/* Takes over the block from here on; false: it cannot be read. */
TM_INLINE bool read_block(struct walk *walk)
{
	u64 bytes = walk->end - walk->at;

	if (bytes > TM_ENV_BLOCK)
		bytes = TM_ENV_BLOCK;
	TM_PIN(bytes);
	if (bytes > TM_ENV_BLOCK ||
	    bpf_copy_from_user_task(walk->block->text, bytes, (void *)walk->at, walk->task, 0))
		return false;
	TM_PIN(bytes);
	if (bytes > TM_ENV_BLOCK)
		return false;
	walk->block->text[bytes] = '\0';
	walk->base = walk->at;
	walk->bytes = bytes;
	return true;
}

static long read_kept(u32 i, struct walk *walk)
{
	u64 offset = walk->at - walk->base, left = walk->bytes - offset;
	struct tm_env_scratch *scratch = walk->scratch;
	long n;

	if (!scratch || !walk->block || walk->at >= walk->end)
		return 1;
	/* What is cut off is read again from its begin. */
	if (offset >= walk->bytes ||
	    (left < sizeof(scratch->text) && walk->at + left < walk->end)) {
		if (!read_block(walk))
			return 1;
		offset = 0;
	}
	if (offset >= TM_ENV_BLOCK)
		return 1;
	TM_PIN(offset);
	if (offset >= TM_ENV_BLOCK)
		return 1;
	n = bpf_probe_read_kernel_str(scratch->text, sizeof(scratch->text),
				      walk->block->text + offset);
	if (n <= 0)
		return 1;
	walk->at += env_text__look(&walk->text, scratch, n);
	return 0;
}

/* The number of the job that a task's environment names; 0: it names none. */
TM_INLINE u64 named(struct task_struct *task, u64 cgroup)
{
	struct task_struct *self = bpf_get_current_task_btf();
	struct walk walk = {
		.task = task,
		.scratch = bpf_task_storage_get(&tm_env_scratches, self, NULL,
						BPF_LOCAL_STORAGE_GET_F_CREATE),
		.text.kind = TM_ENV_KINDS,
	};
	struct mm_struct *mm = BPF_CORE_READ(task, mm);
	u32 zero = 0;

	walk.block = bpf_map_lookup_elem(&tm_env_block, &zero);
	if (!mm || !walk.scratch || !walk.block)
		return 0;
	walk.at = BPF_CORE_READ(mm, env_start);
	walk.end = BPF_CORE_READ(mm, env_end);
	bpf_loop(ENV_VARIABLES, read_kept, &walk, 0);
	return env_job__named(walk.scratch, task, cgroup, walk.text.kind, 0);
}

/* One for each process; one whose first thread has ended is told by the others. */
TM_INLINE bool is_first(struct task_struct *task)
{
	return task->mm && (task->pid == task->tgid || !BPF_CORE_READ(task, group_leader, mm));
}

/*
 * Who calls exec right now is told by that; but what was read before may come in after it. Then it
 * is taken out, and the loader looks again.
 */
TM_INLINE void check(struct task_struct *task, u32 tgid, u64 image)
{
	struct tm_env_process *process;

	if (*(volatile u64 *)&task->self_exec_id != image) {
		tm_env_changed++;
		process = bpf_map_lookup_elem(&tm_env_processes, &tgid);
		if (process && process->image == image)
			env_job__leave(tgid);
	}
	/* Its last thread may have ended before it was in. */
	if (BPF_CORE_READ(task, signal, live.counter) == 0)
		env_job__leave(tgid);
}

/* Others are started, and end, meanwhile: the loader looks again for those that are new. */
SEC("iter.s/task")
int env_before(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	u64 cgroup, image, number;
	u32 tgid;

	if (!task || !is_first(task) || task->flags & PF_EXITING ||
	    BPF_CORE_READ(task, group_leader, start_time) < tm_env_since ||
	    bpf_ktime_get_ns() > tm_env_until)
		return 0;
	tgid = number__tgid(task);
	cgroup = scope__cgroup_id_of(task);
	image = *(volatile u64 *)&task->self_exec_id;
	if (!scope__holds_any(task) || bpf_map_lookup_elem(&tm_job_cgroups, &cgroup) ||
	    bpf_map_lookup_elem(&tm_env_processes, &tgid))
		return 0;
	number = named(task, cgroup);
	/* A number, and no typed pointer, which a global function does not take. */
	if (number &&
	    env_job__join((u64)BPF_CORE_READ(task, group_leader), number, cgroup, ENV_JOB_FOUND)) {
		tm_env_found++;
		check(task, tgid, image);
	}
	return 0;
}

/* Adds what a task that runs has used to its job's; the loader has set that to nothing before. */
SEC("iter/task")
int env_usage(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct tm_env_process *process;
	struct tm_env_job *job;
	struct tm_env_end *end;
	u32 tgid;

	if (!task)
		return 0;
	tgid = number__tgid(task);
	process = bpf_map_lookup_elem(&tm_env_processes, &tgid);
	job = process && process->born_ns == BPF_CORE_READ(task, group_leader, start_time)
		      ? env_job__at(process->job)
		      : NULL;
	end = bpf_task_storage_get(&tm_env_ends, task, NULL, 0);
	if (!job || (end && end->job))
		return 0;
	job->running.run_ns += task->se.sum_exec_runtime;
	job->running.user_ns += task->utime;
	job->running.system_ns += task->stime;
	if (task->pid != task->tgid)
		return 0;
	job->running.run_ns -= process->before.run_ns;
	job->running.user_ns -= process->before.user_ns;
	job->running.system_ns -= process->before.system_ns;
	return 0;
}
