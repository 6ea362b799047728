/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gives each job what the kernel itself has counted of its threads (tmtrace/task_io.h): when a
 * thread ends, calls exec or is moved to another cgroup, and when the loader has the tasks gone
 * through. All of these may come at once: each moves the thread's mark by compare-and-swap, and
 * adds to the job what it has moved the mark by, so that nothing counts twice or not at all.
 */
#ifndef BPF_TASK_IO_BPF_H
#define BPF_TASK_IO_BPF_H

#include "scope.bpf.h"
#include "task_io_maps.bpf.h"

/* Does this kernel count system calls, and bytes of storage? The verifier drops what it does not.
 */
#define TASK_IO_HAS_CALLS   bpf_core_field_exists(struct task_io_accounting, syscr)
#define TASK_IO_HAS_STORAGE bpf_core_field_exists(struct task_io_accounting, read_bytes)

TM_INLINE bool task_io__is_off(void)
{
	return !TASK_IO_HAS_CALLS || !*(volatile u64 *)&tm_task_io.since_ns ||
	       *(volatile u32 *)&tm_stopped;
}

/* A pointer that the verifier knows, as a number, which a global function takes. */
TM_INLINE u64 task_io__address(struct task_struct *task)
{
	u64 address = 0;

	bpf_probe_read_kernel(&address, sizeof(address), &task);
	return address;
}

/*
 * The job of the task at that address, as scope__job() has the current one's; 0: it is not traced.
 * Not inlined: the verifier looks at it once.
 */
u64 task_io__job_of(u64 task);

/* A child of the current thread has none of its counts: all that comes is its own job's. */
TM_INLINE void task_io__fork(struct task_struct *child)
{
	struct tm_task_io_mark mark = {};

	if (task_io__is_off() || bpf_task_storage_get(&tm_task_io_marks, child, NULL, 0))
		return;
	mark.job = task_io__job_of(task_io__address(child));
	if (mark.job)
		bpf_task_storage_get(&tm_task_io_marks, child, &mark,
				     BPF_LOCAL_STORAGE_GET_F_CREATE);
}

/* The current process was executed anew: from here on it counts for the job that it is of now. */
int task_io__exec(void);
/* The current thread ends. */
int task_io__exit(void);

#endif
