/* SPDX-License-Identifier: GPL-2.0-only */
/* The series of a snapshot by process, or by the rank of a job. */
#ifndef USER_REPORT_PROCESS_SUMS_H
#define USER_REPORT_PROCESS_SUMS_H

#include "report/table_options.h"

/* What one process did, or all of one rank. */
struct process_sum {
	__u32 number; /* as in struct tm_key; of a rank, that of its first process */
	__u32 pid;
	__s64 rank;	   /* -1: none */
	size_t first, end; /* its series in process_sums.snapshot */
	/* The time in the calls of libraries, in file operations or of requests: the longest. */
	__u64 busy_ns;
	__u64 count, bytes, errors; /* of all layers together */
	size_t part;		    /* private */
};

/* What comes last of all sums: what is of processes that there was no room for, what is of none. */
enum process_kind { PROCESS_KIND_ONE, PROCESS_KIND_OTHERS, PROCESS_KIND_NONE };

enum process_kind process_sum__kind(const struct process_sum *sum);

struct process_sums {
	struct process_sum *at;
	size_t n;
	struct snapshot snapshot; /* totals alone */
};

enum process_sums_by {
	PROCESS_SUMS_BY_PROCESS, /* with what is of others (TM_PROCESS_OTHERS), and of none (0) */
	PROCESS_SUMS_BY_RANK,	 /* what is of none is not there */
};

/*
 * In an order: by pid, by rank, or those first that have most of something, which is time where
 * sort is none of the sums. 0 or -ENOMEM; in must outlive it. Give it back with
 * process_sums__free() in any case.
 */
int process_sums__make(struct process_sums *out, const struct report_run *run,
		       const struct snapshot *in, enum process_sums_by by, enum table_sort sort);
void process_sums__free(struct process_sums *sums);

#endif
