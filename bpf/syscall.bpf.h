/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a system call is to tmtrace, at its begin and at its end, whatever mechanism sees it: VFS
 * operations are counted here, and every thread's time in files, sockets and waiting is summed up
 * for the library calls around it.
 */
#ifndef BPF_SYSCALL_BPF_H
#define BPF_SYSCALL_BPF_H

#define FILE_WITH_CAST
#include "aio.bpf.h"
#include "processes.bpf.h"
#include "scope.bpf.h"
#include "syscalls.bpf.h"
#include "thread.bpf.h"
#include "toll.bpf.h"

#define AT_EMPTY_PATH 0x1000 /* uapi/linux/fcntl.h */
#define AT_REMOVEDIR  0x200
#define MAP_ANONYMOUS 0x20   /* uapi/asm-generic/mman-common.h: no file, whatever is said */
#define PROT_EXEC     0x4    /* the same */
#define MAP_SHARED    0x01   /* uapi/linux/mman.h */
#define TS_COMPAT     0x0002 /* asm/thread_info.h: a 32-bit system call */

struct arguments {
	u64 at[8];
};

TM_INLINE u64 argument(const struct arguments *args, u32 i)
{
	return args->at[i & 7];
}

TM_INLINE bool is_compat(void)
{
	return bpf_get_current_task_btf()->thread_info.status & TS_COMPAT;
}

/* stat(AT_EMPTY_PATH) is an operation on a descriptor: glibc's fstat(). */
TM_INLINE bool names_descriptor(const struct arguments *args, const struct syscall_row *row)
{
	char first = 1;

	if (row->function != TM_VFS_STAT || !row->flags ||
	    !(argument(args, row->flags) & AT_EMPTY_PATH))
		return false;
	bpf_probe_read_user(&first, 1, (void *)args->at[1]);
	return first == 0;
}

/*
 * The kernel's own way back from a return probe (63dded6f3a7c, 6.11) and into an optimised probe
 * (56101b69c919, 6.18): they come with every probed call, and are no work of the program's.
 */
#define TM_NR_URETPROBE 335
#define TM_NR_UPROBE	336

TM_INLINE bool is_probe(u64 nr)
{
	return nr == TM_NR_URETPROBE || nr == TM_NR_UPROBE;
}

/* Are operations counted, or only the time in them, for the library calls around? */
TM_INLINE bool counts_operations(void)
{
	return tm_config.layers & (1 << TM_LAYER_VFS);
}

/* Begins an operation on the file of a descriptor, if it is one. */
TM_INLINE void begin_on(struct tm_thread *thread, struct file *file, u32 function)
{
	struct tm_syscall *call = &thread->syscall;
	enum file_kind kind = file ? file__kind(file) : FILE_OTHER;

	if (kind == FILE_FILE)
		call->time = TM_TIME_VFS;
	else if (kind == FILE_SOCKET)
		call->time = TM_TIME_NET;
	if (!counts_operations() || vfs__is_off(function))
		return;
	if (kind == FILE_FILE) {
		call->slot = vfs__begin_in(function,
					   file__slot_cached(thread, call->job, function, file));
		if (call->slot == TM_NO_SLOT)
			return;
		call->function = function;
		if (object__is_on()) {
			call->file = (u64)file;
			call->object = object__of_file_cached(thread, call->job, file);
		}
		return;
	}
	vfs__filter(function);
}

TM_INLINE void begin_by_path(struct tm_thread *thread, const struct arguments *args,
			     const struct syscall_row *row)
{
	struct tm_syscall *call = &thread->syscall;
	u32 function = row->function;

	if (function == TM_VFS_UNLINK && row->flags && argument(args, row->flags) & AT_REMOVEDIR)
		function = TM_VFS_RMDIR;
	call->time = TM_TIME_VFS;
	if (!counts_operations())
		return;
	call->slot = vfs__begin(call->job, thread->process, function, NULL);
	if (call->slot != TM_NO_SLOT)
		call->function = function;
}

TM_INLINE void begin_two(struct tm_thread *thread, const struct arguments *args,
			 const struct syscall_row *row)
{
	struct file *file = file__of(argument(args, row->fd));

	if (!file || file__kind(file) != FILE_FILE)
		file = file__of(argument(args, row->flags));
	begin_on(thread, file, row->function);
}

TM_INLINE void look_at(struct tm_thread *thread, const struct arguments *args,
		       const struct syscall_row *row)
{
	struct tm_syscall *call = &thread->syscall;

	switch (row->class) {
	case TM_SYSCALL_FILE:
		if (row->function == TM_VFS_MMAP && args->at[3] & MAP_ANONYMOUS)
			break;
		call->args[1] = args->at[1];
		call->args[3] = args->at[3];
		if (object__is_on())
			call->offset = row->flags ? argument(args, row->flags) : TM_NO_OFFSET;
		begin_on(thread, file__of(argument(args, row->fd)), row->function);
		break;
	case TM_SYSCALL_PATH:
		if (names_descriptor(args, row))
			begin_on(thread, file__of(args->at[0]), row->function);
		else
			begin_by_path(thread, args, row);
		break;
	case TM_SYSCALL_OPEN:
		begin_by_path(thread, args, row);
		break;
	case TM_SYSCALL_TWO:
		begin_two(thread, args, row);
		break;
	case TM_SYSCALL_AIO_SUBMIT:
		call->time = TM_TIME_VFS;
		call->args[1] = args->at[1];
		call->args[2] = args->at[2];
		if (counts_operations())
			aio__submit(args->at[1], args->at[2], thread);
		break;
	case TM_SYSCALL_AIO_REAP:
		call->time = TM_TIME_VFS;
		call->args[3] = args->at[3];
		break;
	case TM_SYSCALL_URING:
		call->time = TM_TIME_VFS;
		break;
	default:
		break;
	}
}

/* How many of this processor's system calls were looked at, and counted by no probe. */
TM_INLINE u64 *syscall__looked_at(void)
{
	return tm_looked_at[bpf_get_smp_processor_id() % TM_LOOKED_AT];
}

/* Is it known by the system call alone that nothing is counted of it? An unlinkat() may be rmdir().
 */
TM_INLINE bool is_off(const struct syscall_row *row)
{
	return vfs__is_off(row->function) && !(row->function == TM_VFS_UNLINK && row->flags);
}

/* The state of the current thread if its system call is to be followed, else NULL. */
TM_INLINE struct tm_thread *follow(const struct syscall_row *row)
{
	struct tm_thread *thread = thread__find();
	bool counted = row->class > TM_SYSCALL_WAIT && counts_operations() && !is_off(row);
	struct tm_ledger *ledger;

	toll__pay_call(thread, counted, *syscall__looked_at());
	if (!(thread && thread->followed) && !scope__holds())
		return NULL;
	if (is_compat()) {
		ADD(tm_compat_calls, 1);
		return NULL;
	}
	/* Outside of library calls nobody asks for the time in other system calls. */
	if (!counted)
		return thread && thread__is_in_call(thread) ? thread : NULL;
	if (thread)
		return thread;
	thread = thread__get();
	ledger = ledger__of(TM_PROBE_VFS + row->function);
	if (!thread && ledger && row->function) {
		ADD(ledger->hits, 1);
		ledger__lose(ledger, TM_LOSS_NO_MEMORY);
	}
	return thread;
}

/* Which system call this is; NULL: none that is known. A 32-bit one has another's number. */
TM_INLINE const struct syscall_row *syscall__row(u64 nr)
{
	TM_PIN(nr);
	return nr < TM_SYSCALLS ? &syscall_rows[nr] : NULL;
}

/* A system call begins: the thread's state, NULL where it is not to be followed. */
TM_INLINE struct tm_thread *syscall__begin(const struct syscall_row *row)
{
	struct tm_thread *thread = follow(row);
	struct tm_syscall *call;

	if (!thread)
		return NULL;
	call = &thread->syscall;
	/* One that began and did not end: not seen, whatever the reason. */
	if (call->start_ns && call->function)
		vfs__drop(call->function, call->slot, TM_LOSS_UNSEEN);
	thread->followed = scope__lasts();
	call->function = TM_VFS_NONE;
	call->file = 0;
	if (recorder__is_on())
		call->id = 0;
	call->class = row->class;
	call->time = TM_TIMES;
	if (row->class == TM_SYSCALL_NET)
		call->time = TM_TIME_NET;
	if (row->class == TM_SYSCALL_WAIT)
		call->time = TM_TIME_WAIT;
	call->start_ns = bpf_ktime_get_ns();
	return thread;
}

/* It may be an operation on a file: its arguments tell. */
TM_INLINE void syscall__begin_on_files(struct tm_thread *thread, const struct syscall_row *row,
				       const struct arguments *args)
{
	struct tm_syscall *call = &thread->syscall;

	call->job = scope__job();
	if (counts_operations())
		process__of(thread);
	call->times_ns[0] = thread->times_ns[TM_TIME_BLOCK];
	call->times_ns[1] = thread->times_ns[TM_TIME_IOWAIT];
	look_at(thread, args, row);
}

/* An open that succeeded: now the file is known. False where it is none: a device, a pipe. */
TM_INLINE bool settle_open(struct tm_thread *thread, long result)
{
	struct tm_syscall *call = &thread->syscall;
	u32 function = call->function;
	bool settled;

	if (result < 0)
		return true;
	settled = vfs__settle(call->job, thread->process, &function, &call->slot, file__of(result));
	call->function = function;
	return settled;
}

/* Counts it by the file that it was on: known at the begin, or that an open has just opened. */
TM_INLINE void count_by_file(struct tm_thread *thread, u64 start_ns, u64 ns, long result)
{
	struct tm_syscall *call = &thread->syscall;
	struct file *file = (void *)call->file;
	struct operation operation = {
		.object = call->object,
		.job = call->job,
		.start_ns = start_ns,
		.ns = ns,
		.offset = TM_NO_OFFSET,
		.function = call->function,
	};

	if (!file && call->class == TM_SYSCALL_OPEN && result >= 0) {
		file = file__of(result);
		if (file)
			operation.object = object__of_file_cached(thread, call->job, file);
	} else if (file && result >= 0 &&
		   (call->function == TM_VFS_READ || call->function == TM_VFS_WRITE)) {
		operation.offset = object__offset(file, call->offset, call->function, result);
	}
	if (!file)
		operation.object = object__of_paths(call->job);
	vfs__count_object(&operation, result);
}

/* The operation that a system call was ends, and with it what was slept inside. */
TM_INLINE void end_operation(struct tm_thread *thread, u64 now, u64 ns, long result)
{
	struct tm_syscall *call = &thread->syscall;
	struct tm_series *series;
	u64 slept;

	if (call->class == TM_SYSCALL_OPEN && !settle_open(thread, result))
		return;
	series = vfs__end(call->function, call->slot, ns, result);
	if (!series)
		return;
	/* I/O through a shared mapping is not seen: at least its size is. */
	if (call->function == TM_VFS_MMAP && call->args[3] & MAP_SHARED &&
	    (result >= 0 || result < -4095))
		ADD(series->mapped, call->args[1]);
	slept = thread->times_ns[TM_TIME_BLOCK] - call->times_ns[0];
	if (slept) {
		ADD(series->times_ns[TM_TIME_BLOCK], slept);
		ADD(series->vfs_counts[TM_VFS_BLOCKED], 1);
	}
	slept = thread->times_ns[TM_TIME_IOWAIT] - call->times_ns[1];
	if (slept)
		ADD(series->times_ns[TM_TIME_IOWAIT], slept);
	if (account__is_on())
		vfs__account(account__of(thread), call->function, ns, result);
	if (object__is_on())
		count_by_file(thread, now - ns, ns, result);
	if (recorder__records(series))
		vfs__put_call(call->function, call->slot, now - ns, ns, result);
}

/*
 * Did this thread's system calls begin and end unseen since this one began? Hooks on functions,
 * which see operations on files, are never taken away.
 */
TM_INLINE bool is_stale(const struct tm_syscall *call)
{
	if (tm_config.hooks && call->function)
		return false;
	return call->start_ns < *(volatile u64 *)&tm_seen_since;
}

/* It may have ended long ago: what ends now is another one. */
TM_INLINE void forget(struct tm_syscall *call)
{
	call->start_ns = 0;
	if (call->function)
		vfs__drop(call->function, call->slot, TM_LOSS_UNSEEN);
	call->function = TM_VFS_NONE;
}

/* The current thread's system call ends. */
TM_INLINE void syscall__end(long result)
{
	struct tm_thread *thread;
	struct tm_syscall *call;
	u64 now, ns;

	if (scope__is_over())
		return;
	thread = thread__find();
	if (!thread || !thread->syscall.start_ns)
		return;
	call = &thread->syscall;
	if (is_stale(call)) {
		forget(call);
		return;
	}
	now = bpf_ktime_get_ns();
	ns = now - call->start_ns;
	call->start_ns = 0;
	thread->times_ns[TM_TIME_SYSCALL] += ns;
	if (call->time < TM_TIMES)
		thread->times_ns[call->time & 7] += ns;
	thread__show_times(thread);

	if (call->class == TM_SYSCALL_AIO_SUBMIT)
		aio__submitted(call->args[1], call->args[2], result);
	else if (call->class == TM_SYSCALL_AIO_REAP)
		aio__reap(result, call->args[3], now);
	else if (call->function)
		end_operation(thread, now, ns, result);
	call->function = TM_VFS_NONE;
}

#endif
