// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs know processes by their numbers in the first PID namespace. A loader in another one
 * knows them by its own: what it names is looked up among all processes.
 */
#include "maps.bpf.h"

#include "tmtrace/number.h"

/* There are no more tasks on a machine (PID_MAX_LIMIT is 1 << 22; bpf_loop() makes 1 << 23). */
#define TASKS_MAX (1 << 22)

struct look {
	u64 first, task;
	u32 pid, level, namespace;
	u32 found;
};

TM_INLINE struct upid *upid_at(struct pid *pid, u32 level)
{
	return (void *)((u64)pid + bpf_core_field_offset(struct pid, numbers) +
			(u64)level * bpf_core_type_size(struct upid));
}

/* What a process is called at the level of who asks, if it is in that namespace, too; else 0. */
TM_INLINE u32 number_at(struct task_struct *task, const struct look *look)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	struct upid *upid;

	if (!pid || BPF_CORE_READ(pid, level) < look->level)
		return 0;
	upid = upid_at(pid, look->level);
	return BPF_CORE_READ(upid, ns, ns.inum) == look->namespace ? BPF_CORE_READ(upid, nr) : 0;
}

static long look_at(u32 i, struct look *look)
{
	struct task_struct *task = (void *)look->task;

	if (number_at(task, look) == look->pid) {
		look->found = BPF_CORE_READ(task, tgid);
		return 1;
	}
	look->task = (u64)BPF_CORE_READ(task, tasks.next) -
		     bpf_core_field_offset(struct task_struct, tasks);
	return look->task == look->first;
}

/* Run by the loader for itself. */
SEC("syscall")
int global_number(struct tm_number *question)
{
	struct task_struct *self = bpf_get_current_task_btf();
	struct pid *pid = BPF_CORE_READ(self, thread_pid);
	struct look look = { .pid = question->pid };
	struct upid *upid;

	question->global = bpf_get_current_pid_tgid() >> 32;
	if (!look.pid)
		return 0;
	look.first = look.task = (u64)BPF_CORE_READ(self, group_leader);
	look.level = BPF_CORE_READ(pid, level);
	upid = upid_at(pid, look.level);
	look.namespace = BPF_CORE_READ(upid, ns, ns.inum);
	bpf_loop(TASKS_MAX, look_at, &look, 0);
	question->global = look.found;
	return 0;
}
