/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers of processes and threads as they are in the loader's PID namespace. What the loader names
 * to the programs, what they key by and what they tell are the same numbers, and those that the
 * loader's /proc shows. Programs take them from here alone, and no number from the kernel that is
 * told or that the loader names.
 *
 * A loader in the first namespace costs nothing: the verifier removes what is not taken.
 */
#ifndef BPF_NUMBER_BPF_H
#define BPF_NUMBER_BPF_H

#include "maps.bpf.h"

#include "tmtrace/number.h"

/* The number of a struct pid at a level of the tree of namespaces. */
TM_INLINE struct upid *number__at(struct pid *pid, u32 level)
{
	return (void *)((u64)pid + bpf_core_field_offset(struct pid, numbers) +
			(u64)level * bpf_core_type_size(struct upid));
}

/* Whose number it is: the task's own, its process's, that of the process that started it. */
enum number_of {
	NUMBER_THREAD,
	NUMBER_PROCESS,
	NUMBER_PARENT,
};

/* What it is called in the loader's namespace. */
TM_INLINE u32 number__look(struct task_struct *task, enum number_of of)
{
	u32 level = *(volatile u32 *)&tm_pid_level & TM_PID_LEVEL_MASK;
	struct upid *upid;
	struct pid *pid;

	if (of == NUMBER_PARENT)
		task = BPF_CORE_READ(task, real_parent);
	if (of != NUMBER_THREAD)
		task = BPF_CORE_READ(task, group_leader);
	pid = BPF_CORE_READ(task, thread_pid);
	upid = number__at(pid, level);
	/* Of what has been reaped, nothing is left there. */
	if (!pid || BPF_CORE_READ(pid, level) < level ||
	    BPF_CORE_READ(upid, ns, ns.inum) != tm_config.pid_namespace)
		return tm_outside(BPF_CORE_READ(task, pid));
	return BPF_CORE_READ(upid, nr);
}

/*
 * A function of its own, which calls no other one, because most of what calls it is near the limit
 * of the stack. What is near that of calls inside one another looks itself.
 */
static __attribute__((noinline, unused)) u32 number__find(struct task_struct *task,
							  enum number_of of)
{
	return number__look(task, of);
}

/* A task's process. The pointer is one that the verifier knows, from bpf_get_current_task_btf(). */
TM_INLINE u32 number__tgid(struct task_struct *task)
{
	return tm_config.pid_namespace ? number__find(task, NUMBER_PROCESS) : (u32)task->tgid;
}

/* The same, of any pointer. */
TM_INLINE u32 number__tgid_at(struct task_struct *task)
{
	return tm_config.pid_namespace ? number__find(task, NUMBER_PROCESS)
				       : (u32)BPF_CORE_READ(task, tgid);
}

/* The same two, looked up in place. */
TM_INLINE u32 number__tgid_here(struct task_struct *task)
{
	return tm_config.pid_namespace ? number__look(task, NUMBER_PROCESS) : (u32)task->tgid;
}

TM_INLINE u32 number__tgid_at_here(struct task_struct *task)
{
	return tm_config.pid_namespace ? number__look(task, NUMBER_PROCESS)
				       : (u32)BPF_CORE_READ(task, tgid);
}

/* The process that started that of a task, by any pointer. */
TM_INLINE u32 number__parent_at(struct task_struct *task)
{
	return tm_config.pid_namespace ? number__find(task, NUMBER_PARENT)
				       : (u32)BPF_CORE_READ(task, real_parent, tgid);
}

/* As bpf_get_current_pid_tgid(): the process in the upper half, the thread in the lower one. */
TM_INLINE u64 number__current(void)
{
	struct task_struct *task;

	if (!tm_config.pid_namespace)
		return bpf_get_current_pid_tgid();
	task = (struct task_struct *)bpf_get_current_task();
	return (u64)number__find(task, NUMBER_PROCESS) << 32 | number__find(task, NUMBER_THREAD);
}

/* The upper half alone. */
TM_INLINE u32 number__current_tgid(void)
{
	if (!tm_config.pid_namespace)
		return bpf_get_current_pid_tgid() >> 32;
	return number__find((struct task_struct *)bpf_get_current_task(), NUMBER_PROCESS);
}

#endif
