/* SPDX-License-Identifier: GPL-2.0-only */
/* What a process did, from its first moment to its last, as records have it. */
#ifndef USER_PROCESS_ACCOUNT_H
#define USER_PROCESS_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>

#include "process/process_info.h"
#include "tmtrace/account.h"

/* Of the environment that a process was started with. */
struct process_variable {
	const char *name, *value;
};

struct process_account {
	struct process_info info; /* pid 0: of several; end_ns 0: it lives on */
	__u64 time_ns;		  /* CLOCK_REALTIME: when all this was so */
	__u64 job;
	__u64 processes;			  /* of how many it is */
	__u64 user_ns, system_ns;		  /* CPU time, as getrusage(2) tells it */
	__u64 max_rss_bytes;			  /* the same */
	__u32 threads;				  /* that ended */
	__u32 status;				  /* as waitpid(2) tells it, or TM_ACCOUNT_UNSEEN */
	bool was_oom;				  /* killed because memory was short */
	const char *program;			  /* path of what it executed; NULL: not known */
	const struct process_variable *variables; /* that are asked for, and not empty */
	size_t n_variables;
	struct tm_account_sums sums;
	/* For how long of its life a function of that layer of libraries was parked. */
	__u64 unseen_ns[TM_ACCOUNT_LAYERS];
};

/*
 * CPU time as getrusage(2) has it: what the scheduler measured (run_ns), in the proportion of what
 * ticks found (the kernel's cputime_adjust()).
 */
void process_account__scale(__u64 *user_ns, __u64 *system_ns, __u64 run_ns);

#endif
