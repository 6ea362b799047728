// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls, by the mechanisms that see them: the BTF tracepoints see all of every process;
 * hooks on the functions of those that are operations on files leave the others alone. And the time
 * that they sleep.
 */
#include "doorbell.bpf.h"
#include "quirks.bpf.h"
#include "syscall.bpf.h"
#include "typed.bpf.h"

/* As since 7.2; before, it takes no argument, and user/kernel/kfuncs.c makes the object fit. */
extern bool bpf_session_is_return(void *ctx) __ksym __weak;

/* The arguments that a system call was made with; type: how regs may be read. */
#define ARGUMENTS(read, regs)                                                        \
	((struct arguments){ .at = { read(regs, di), read(regs, si), read(regs, dx), \
				     read(regs, r10), read(regs, r8), read(regs, r9) } })
/* The verifier knows the type, or it does not. */
#define DIRECTLY(regs, field) ((regs)->field)
#define BY_CAST(regs, field)  READ(struct pt_regs, regs, field)

/* The current thread maps a file as code. */
TM_INLINE void ring_for(u64 fd)
{
	u64 file = file__address(fd);

	if (file)
		doorbell__look(file);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(syscall_enter, struct pt_regs *regs, long id)
{
	const struct syscall_row *row = syscall__row(id);
	struct tm_thread *thread;
	struct arguments args;

	/* They are paid for, too. */
	if (!row || row->class <= TM_SYSCALL_WAIT || tm_config.hooks)
		++*syscall__looked_at();
	if (!row || is_probe(id) || scope__is_over())
		return 0;
	if (doorbell__is_on() && row->function == TM_VFS_MMAP && regs->dx & PROT_EXEC &&
	    !(regs->r10 & MAP_ANONYMOUS))
		ring_for(regs->r8);
	if (tm_config.hooks && row->class > TM_SYSCALL_WAIT)
		return 0;
	thread = syscall__begin(row);
	if (!thread || row->class <= TM_SYSCALL_WAIT)
		return 0;
	args = ARGUMENTS(DIRECTLY, regs);
	syscall__begin_on_files(thread, row, &args);
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(syscall_exit, struct pt_regs *regs, long result)
{
	/* What is no system call any more: above all, a return probe was here. */
	if ((long)regs->orig_ax >= 0)
		syscall__end(result);
	return 0;
}

TM_INLINE int begin_by_fentry(const struct pt_regs *regs)
{
	const struct syscall_row *row = syscall__row(regs->orig_ax);
	struct tm_thread *thread;
	struct arguments args;

	if (!row || scope__is_over())
		return 0;
	thread = syscall__begin(row);
	if (!thread)
		return 0;
	args = ARGUMENTS(DIRECTLY, regs);
	syscall__begin_on_files(thread, row, &args);
	return 0;
}

/*
 * One for all functions: what user/kernel/vfs_fentry.c puts on each continues with it, and is all
 * that the kernel guards against recursion. And one for those that have another prototype in the
 * kernel's types (of 6.12, six), on whichever is the first.
 */
SEC("fentry/__x64_sys_read")
int BPF_PROG(syscall_fentry, const struct pt_regs *regs)
{
	quirk__keep_task_stack(ctx);
	return begin_by_fentry(regs);
}

SEC("fentry/__x64_sys_io_submit")
int BPF_PROG(syscall_fentry_other, const struct pt_regs *regs)
{
	quirk__keep_task_stack(ctx);
	return begin_by_fentry(regs);
}

SEC("fexit/__x64_sys_read")
int BPF_PROG(syscall_fexit, const struct pt_regs *regs, long result)
{
	quirk__keep_task_stack(ctx);
	syscall__end(result);
	return 0;
}

SEC("fexit/__x64_sys_io_submit")
int BPF_PROG(syscall_fexit_other, const struct pt_regs *regs, long result)
{
	quirk__keep_task_stack(ctx);
	syscall__end(result);
	return 0;
}

/* Is the system call followed, which the hooked function's first argument describes? */
TM_INLINE bool begin_by_kprobe(u64 address)
{
	const struct pt_regs *regs = (void *)address;
	const struct syscall_row *row = syscall__row(BY_CAST(regs, orig_ax));
	struct tm_thread *thread;
	struct arguments args;

	if (!row || scope__is_over())
		return false;
	thread = syscall__begin(row);
	if (!thread)
		return false;
	args = ARGUMENTS(BY_CAST, regs);
	syscall__begin_on_files(thread, row, &args);
	return true;
}

SEC("kprobe")
int syscall_kprobe(struct pt_regs *ctx)
{
	begin_by_kprobe(ctx->di);
	return 0;
}

SEC("kprobe")
int syscall_kretprobe(struct pt_regs *ctx)
{
	syscall__end(ctx->ax);
	return 0;
}

/* Who is not followed gets no return probe. */
SEC("kprobe")
int syscall_session(struct pt_regs *ctx)
{
	if (!bpf_session_is_return(ctx))
		return !begin_by_kprobe(ctx->di);
	syscall__end(ctx->ax);
	return 0;
}

/* Time off the CPU in uninterruptible sleep, inside file operations. */
#define TASK_UNINTERRUPTIBLE 2 /* linux/sched.h */

SEC("tp_btf/sched_switch")
int BPF_PROG(syscall_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	struct tm_thread *thread;
	u64 now = 0, ns;

	if (!preempt && prev_state & TASK_UNINTERRUPTIBLE) {
		thread = bpf_task_storage_get(&tm_threads, prev, NULL, 0);
		if (thread && thread->syscall.start_ns && thread->syscall.time == TM_TIME_VFS) {
			now = bpf_ktime_get_ns();
			thread->sleep_ns = now;
			thread->sleep_iowait = BPF_CORE_READ_BITFIELD(prev, in_iowait);
		}
	}
	thread = bpf_task_storage_get(&tm_threads, next, NULL, 0);
	if (!thread || !thread->sleep_ns)
		return 0;
	ns = (now ?: bpf_ktime_get_ns()) - thread->sleep_ns;
	thread->sleep_ns = 0;
	thread->times_ns[TM_TIME_BLOCK] += ns;
	if (thread->sleep_iowait)
		thread->times_ns[TM_TIME_IOWAIT] += ns;
	return 0;
}
