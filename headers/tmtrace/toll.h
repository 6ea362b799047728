/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The toll: what probes take from each thread. Each thread adds up its hits by what they cost, over
 * a window that the loader begins; of each processor's threads the one that paid most is in a cell
 * of that processor, which nobody else writes to.
 */
#ifndef TMTRACE_TOLL_H
#define TMTRACE_TOLL_H

#include <linux/types.h>

/*
 * What takes a toll is named by the number of the probe, but for what is taken away together:
 * whatever is seen by the programs on all system calls, counted or not; and operations on files
 * where they are seen by hooks on functions.
 */
#define TM_TOLL_TAP  0xffffffff
#define TM_TOLL_HOOK 0xfffffffe

/* In the state of a thread. */
struct tm_toll {
	__u32 window;
	__u32 probe; /* the one that took more than half, if there is one, or else any of them */
	__u64 ns;
	__u64 votes; /* of that probe's costs, those that others do not outweigh */
};

/* A cache line. */
struct tm_toll_cell {
	__u32 window;
	__u32 probe;
	__u64 ns;
	__u64 thread; /* process and thread, as bpf_get_current_pid_tgid() tells them */
	__u64 job;
	__u64 spare[4];
};

/* By processor; where there are more, some share one, and the lower toll may be lost. */
#define TM_TOLL_CELLS 512
/* A cell is not written for less. */
#define TM_TOLL_STEP_NS 20000

/* What the loader says: since when, and what hits cost; those of libraries are in their probes. */
struct tm_toll_prices {
	__u32 window;	 /* 0: nobody asks */
	__u32 vfs_ns;	 /* of an operation on files */
	__u32 looked_ns; /* of a system call that is looked at, and that no probe counts */
};

#endif
