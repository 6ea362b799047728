// SPDX-License-Identifier: GPL-2.0-only
/* Processes: children are followed; what is open when a thread ends or calls exec is closed. */
#include "addb.bpf.h"
#include "association.bpf.h"
#include "doorbell.bpf.h"
#include "env_job.bpf.h"
#include "exec.bpf.h"
#include "frame.bpf.h"
#include "number.bpf.h"
#include "processes.bpf.h"
#include "operation.bpf.h"
#include "handle.bpf.h"
#include "scope.bpf.h"
#include "task_io.bpf.h"
#include "thread.bpf.h"
#include "vfs.bpf.h"

/* A child that a thread forks goes on on the copy of that thread's stack. */
TM_INLINE void inherit_stack(struct task_struct *parent, struct task_struct *child)
{
	struct tm_stack *from = bpf_task_storage_get(&tm_stacks, parent, NULL, 0), *to;

	if (!from || !from->top)
		return;
	to = bpf_task_storage_get(&tm_stacks, child, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (to) {
		to->bottom = from->bottom;
		to->top = from->top;
	}
}

/* What is said of a process holds for its children too. */
TM_INLINE void inherit_mark(void *marks, u32 parent, u32 child)
{
	u8 yes = 1;

	if (bpf_map_lookup_elem(marks, &parent))
		bpf_map_update_elem(marks, &child, &yes, BPF_ANY);
}

TM_INLINE void follow_child(struct task_struct *parent, struct task_struct *child)
{
	if (child->tgid == parent->tgid)
		return;
	inherit_stack(parent, child);
	/* Itself, and no typed pointer, which a global function does not take. */
	env_job__fork((u64)BPF_CORE_READ(child, group_leader));
	inherit_mark(&tm_switchers, parent->tgid, child->tgid);
	if (tm_config.scope == TM_SCOPE_PROCESSES)
		inherit_mark(&tm_targets, number__tgid(parent), number__tgid(child));
	if (tm_config.per_process && scope__holds())
		process__fork((u64)BPF_CORE_READ(child, group_leader));
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(process_fork, struct task_struct *parent, struct task_struct *child)
{
	follow_child(parent, child);
	task_io__fork(child);
	return 0;
}

/*
 * Once more: a kernel that preempts programs at tracepoints (7.x) does not run the one for another
 * task meanwhile, and a child that is not followed is lost with all it does.
 */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(process_fork_again, struct task_struct *parent, struct task_struct *child)
{
	follow_child(parent, child);
	task_io__fork(child);
	return 0;
}

/* Operations of a process that is gone complete unseen. */
static long sweep_aio(void *map, struct tm_aio_key *key, struct tm_request *request, u32 *tgid)
{
	if (key->tgid != *tgid)
		return 0;
	for (u32 i = 0; i <= request->more && i < 64; i++)
		vfs__drop(request->function, request->slot, TM_LOSS_KILLED);
	bpf_map_delete_elem(map, key);
	return 0;
}

static long sweep_uring(void *map, u64 *key, struct tm_request *request, u32 *tgid)
{
	if (request->tgid != *tgid)
		return 0;
	vfs__drop(request->function, request->slot, TM_LOSS_KILLED);
	bpf_map_delete_elem(map, key);
	return 0;
}

/* What libraries had in a process's memory. */
TM_INLINE void sweep_objects(u32 tgid)
{
	operation__sweep(tgid);
	if (tm_config.addb.sums)
		addb__sweep(tgid);
	if (!tm_config.handles)
		return;
	handle__sweep(tgid);
	association__sweep(tgid);
}

/* Only of processes that have used them: the maps are long. */
TM_INLINE void sweep(u32 tgid)
{
	if (!bpf_map_lookup_elem(&tm_submitters, &tgid))
		return;
	bpf_map_delete_elem(&tm_submitters, &tgid);
	bpf_for_each_map_elem(&tm_aio, sweep_aio, &tgid, 0);
	bpf_for_each_map_elem(&tm_uring, sweep_uring, &tgid, 0);
	sweep_objects(tgid);
}

/* Who the process is from now on. */
TM_INLINE void follow_exec(struct task_struct *task)
{
	/* Else where they are, before they note whose job it is. */
	if (!tm_config.accounts)
		env_job__exec();
	if (tm_config.per_process && scope__holds())
		process__exec();
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(process_exec, struct task_struct *task)
{
	u32 tgid = number__tgid(task), global = task->tgid;

	bpf_map_delete_elem(&tm_switchers, &global);
	frame__lose_all(TM_LOSS_KILLED);
	follow_exec(task);
	if (doorbell__is_on())
		doorbell__look((u64)BPF_CORE_READ(task, mm, exe_file));
	if (!scope__is_over() && bpf_map_lookup_elem(&tm_submitters, &tgid))
		sweep_objects(tgid);
	exec__note_followed(task, TM_EXEC_PROCESS);
	return 0;
}

/* Once more, as above: the new program would count for its parent's job. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(process_exec_again, struct task_struct *task)
{
	if (!exec__is_followed(task, TM_EXEC_PROCESS))
		follow_exec(task);
	return 0;
}

#define SIGTRAP	      5
#define PF_FORKNOEXEC 0x40

/* A copy of a probe's breakpoint, in code that the kernel does not know, ends its process so. */
TM_INLINE void note_trapped(struct task_struct *task)
{
	int code = BPF_CORE_READ(task, signal, group_exit_code);

	struct tm_trap *trap;

	if (((code ?: task->exit_code) & 0x7f) != SIGTRAP)
		return;
	trap = &tm_traps[__sync_fetch_and_add(&tm_n_traps, 1) % TM_TRAPS];
	trap->start_ns = BPF_CORE_READ(task, group_leader, start_time);
	trap->tgid = task->tgid;
	trap->forked = !!(BPF_CORE_READ(task, group_leader, flags) & PF_FORKNOEXEC);
	BPF_CORE_READ_STR_INTO(&trap->comm, task, group_leader, comm);
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(process_exit, struct task_struct *task)
{
	struct tm_thread *thread = bpf_task_storage_get(&tm_threads, task, NULL, 0);
	u32 tgid = number__tgid(task), global = task->tgid;

	task_io__exit();
	frame__lose_all(TM_LOSS_KILLED);
	if (thread && thread->syscall.start_ns && thread->syscall.function && !scope__is_over())
		vfs__drop(thread->syscall.function, thread->syscall.slot, TM_LOSS_KILLED);
	/* Else where they are, after they noted whose job it was. */
	if (!tm_config.accounts)
		env_job__exit();
	/* The last thread of the process: its number may be used again. */
	if (BPF_CORE_READ(task, signal, live.counter) == 0) {
		note_trapped(task);
		if (!scope__is_over())
			sweep(tgid);
		bpf_map_delete_elem(&tm_switchers, &global);
		if (tm_config.per_process)
			process__end(tgid);
		if (tm_config.scope == TM_SCOPE_PROCESSES)
			bpf_map_delete_elem(&tm_targets, &tgid);
	}
	return 0;
}
