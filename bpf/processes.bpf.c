// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who the processes are is noted here, when they start or are first counted: a short one, or one
 * that is killed, is gone before the loader could look.
 */
#include "number.bpf.h"
#include "processes.bpf.h"
#include "environment.bpf.h"

TM_INLINE u32 number_of(u32 tgid)
{
	u32 *number = bpf_map_lookup_elem(&tm_numbers, &tgid);

	return number ? *number : 0;
}

TM_INLINE struct tm_process *process_at(u32 number)
{
	return bpf_map_lookup_elem(&tm_processes, &number);
}

/* What may change with exec. */
TM_INLINE void describe(struct tm_process *process, struct task_struct *task)
{
	BPF_CORE_READ_STR_INTO(&process->comm, task, group_leader, comm);
	process->uid = BPF_CORE_READ(task, cred, uid.val);
}

/* A number of its own for the process of a task; parent: its parent's. */
static __attribute__((noinline)) u32 create(u64 address, u32 parent)
{
	struct task_struct *task = (void *)address;
	u32 tgid = number__tgid_at(task), number = TM_PROCESS_OTHERS;
	struct tm_process *process = NULL;

	/* Without this, a full table would move the counter on and wrap it one day. */
	if (*(volatile u32 *)&tm_next_process < tm_config.processes)
		number = __sync_fetch_and_add(&tm_next_process, 1);
	process = process_at(number);
	if (!process) {
		number = TM_PROCESS_OTHERS;
		*(volatile u32 *)&tm_folded = 1;
	}
	if (bpf_map_update_elem(&tm_numbers, &tgid, &number, BPF_NOEXIST))
		return number_of(tgid) ?: TM_PROCESS_OTHERS; /* another thread was faster */
	if (!process)
		return number;
	describe(process, task);
	process->start_ns = BPF_CORE_READ(task, group_leader, start_time);
	process->ppid = number__parent_at(task);
	process->pid = tgid;
	process->parent = parent == TM_PROCESS_OTHERS ? 0 : parent;
	/* x86 keeps stores in order; the barrier is for the compiler. */
	asm volatile("" ::: "memory");
	process->state = TM_PROCESS_LIVE;
	return number;
}

/* The loader is woken when much has come; else it looks by its clock. */
TM_INLINE u64 wakeup(void)
{
	u64 filled = bpf_ringbuf_query(&tm_environments, BPF_RB_AVAIL_DATA);

	return filled * 4 > bpf_ringbuf_query(&tm_environments, BPF_RB_RING_SIZE)
		       ? BPF_RB_FORCE_WAKEUP
		       : BPF_RB_NO_WAKEUP;
}

static long send_piece(u32 i, struct environment *environment)
{
	return environment__send(&tm_environments, i, environment, wakeup());
}

/* What the current process was started with: its arguments, and its environment to the loader. */
static __attribute__((noinline)) int read_start(u32 number)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct tm_process *process = process_at(number);
	struct mm_struct *mm = BPF_CORE_READ(task, mm);
	struct environment environment = { .process = number };
	u64 start, bytes;

	if (!process || !mm)
		return 0;
	start = BPF_CORE_READ(mm, arg_start);
	bytes = BPF_CORE_READ(mm, arg_end) - start;
	if (bytes > TM_PROCESS_COMMAND)
		bytes = TM_PROCESS_COMMAND;
	TM_PIN(bytes);
	if (bytes > TM_PROCESS_COMMAND ||
	    bpf_probe_read_user(process->command, bytes, (void *)start))
		bytes = 0;
	process->command_bytes = bytes;

	if (environment__begin(&environment, mm))
		bpf_loop(environment__pieces(&environment), send_piece, &environment, 0);
	return 0;
}

__attribute__((noinline)) u32 process__number(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u32 number = number_of(number__tgid(task));

	/* What is counted in a trial is forgotten. */
	if (number || *(volatile u32 *)&tm_trial || *(volatile u32 *)&tm_stopped)
		return number;
	number = create((u64)task, number_of(number__parent_at(task)));
	read_start(number);
	return number;
}

__attribute__((noinline)) int process__fork(u64 child)
{
	struct task_struct *task = (void *)child;
	u32 parent = process__number(), number;
	struct tm_process *process;

	if (!parent || number_of(number__tgid_at(task)))
		return 0;
	number = create(child, parent);
	process = process_at(number);
	if (process)
		process->forked = 1;
	return 0;
}

__attribute__((noinline)) int process__exec(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u32 known = number_of(number__tgid(task)), number = process__number();
	struct tm_process *process = process_at(number);

	/* Else it was read just now. */
	if (!process || !known)
		return 0;
	describe(process, task);
	process->forked = 0;
	read_start(number);
	return 0;
}

__attribute__((noinline)) int process__end(u32 tgid)
{
	struct tm_process *process = process_at(number_of(tgid));

	if (process)
		process->end_ns = bpf_ktime_get_ns();
	bpf_map_delete_elem(&tm_numbers, &tgid);
	return 0;
}
