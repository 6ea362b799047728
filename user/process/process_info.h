/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_PROCESS_PROCESS_INFO_H
#define USER_PROCESS_PROCESS_INFO_H

#include <linux/types.h>

/* What is known of a process that is told apart from others. */
struct process_info {
	__u32 pid, ppid, uid; /* as the kernel numbers them */
	__s64 rank;	      /* of the job's processes; -1: not known */
	__u64 start_ns;	      /* CLOCK_REALTIME */
	__u64 end_ns;	      /* 0: not seen to end */
	const char *comm;
	const char *command; /* with its arguments, cut; NULL: not known */
	const char *jobid;   /* the scheduler's; NULL: not known */
	const char *step;    /* of that job, the same */
	/* What it is in Maestro; NULL: not known. */
	const char *workflow, *component;
	const char *node; /* of several; NULL: the run's */
};

#endif
