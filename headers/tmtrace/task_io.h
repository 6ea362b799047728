/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel itself counts of each thread's reading and writing (task I/O accounting, what
 * /proc/PID/task/TID/io shows), taken over into the thread's job. It costs the thread nothing, and
 * no probe is needed. Include <linux/types.h> or vmlinux.h first.
 *
 *   tm_task_io_marks  task storage: how much of a thread's counts its job has got
 *   tm_task_io_moves  hash: threads of a process that was moved to another cgroup
 *
 * A job's counts are in its series with TM_KEY_TASK_IO, those of a process in its account; with
 * what came of them while operations on files were not counted.
 */
#ifndef TMTRACE_TASK_IO_H
#define TMTRACE_TASK_IO_H

/* In the order of /proc/PID/io, and called there: */
enum tm_task_io_count {
	TM_TASK_IO_RCHAR,	    /* bytes by system calls that read, on any descriptor */
	TM_TASK_IO_WCHAR,	    /* the same of those that write */
	TM_TASK_IO_SYSCR,	    /* those system calls */
	TM_TASK_IO_SYSCW,	    /* the same of those that write */
	TM_TASK_IO_READ_BYTES,	    /* bytes that storage was asked for */
	TM_TASK_IO_WRITE_BYTES,	    /* bytes that were made dirty, to be written to storage */
	TM_TASK_IO_CANCELLED_BYTES, /* of those, what was truncated before it was written */
	TM_TASK_IO_COUNTS,
};

struct tm_task_io {
	__u64 count[TM_TASK_IO_COUNTS];
};

/*
 * What of these came while an operation on files was not counted, as its probe was parked, or left
 * out: by it, what is counted of a job is a sample, and the job's counts say of how much.
 */
enum tm_missed {
	TM_MISSED_RCHAR, /* while reads were not, */
	TM_MISSED_SYSCR,
	TM_MISSED_WCHAR, /* writes, */
	TM_MISSED_SYSCW,
	TM_MISSED_CALLS, /* any other operation: syscr and syscw */
	TM_MISSED,
};

/* Which are not counted now. */
#define TM_MISSING_READS  1
#define TM_MISSING_WRITES 2
#define TM_MISSING_OTHERS 4
#define TM_MISSING_ALL	  7

/* How far a thread's counts are its job's. */
struct tm_task_io_mark {
	__u64 job; /* whose the next ones are; 0: nobody's, as it is not traced */
	struct tm_task_io seen;
};

/* What a thread had when its process was moved to another cgroup: so much is the job's before. */
struct tm_task_io_move {
	__u64 born_ns;	   /* of the thread: with its number, unique */
	__u64 before, job; /* jobs: that one has what was seen, this one what comes */
	struct tm_task_io seen;
};

/* What is missing in the counts of jobs. */
enum tm_task_io_loss {
	TM_TASK_IO_NO_MARK, /* threads that ended and had no mark: there was no memory for one */
	TM_TASK_IO_NO_ROOM, /* threads that ended, and whose job's series found no room */
	TM_TASK_IO_UNSPLIT, /* threads whose counts were not told apart when they were moved */
	TM_TASK_IO_LOSSES,
};

/* What a loader gives and gets, in the .bss of the kernel side. */
struct tm_task_io_state {
	__u64 since_ns; /* CLOCK_MONOTONIC, when the counting began; 0: it has not */
	__u64 lost[TM_TASK_IO_LOSSES];
	__u64 tasks;   /* that the last pass has met */
	__u64 n_moves; /* elements of tm_task_io_moves; about */
	__u64 missing; /* TM_MISSING_..., set by the loader at any time */
};

#endif
