/* SPDX-License-Identifier: GPL-2.0-only */
/* The series of a snapshot by process, or by the rank of a job. */
#ifndef USER_REPORT_PROCESS_SUMS_H
#define USER_REPORT_PROCESS_SUMS_H

#include "report/report.h"

/* What one process did, or all of one rank. */
struct process_sum {
	__u32 number; /* as in struct tm_key; of a rank, that of its first process */
	__u32 pid;
	__s64 rank;	   /* -1: none */
	size_t first, end; /* its series in process_sums.snapshot */
	/* The time in the calls of libraries, in file operations or of requests: the longest. */
	__u64 busy_ns;
	__u64 count, bytes, errors; /* of all layers together */
};

struct process_sums {
	struct process_sum *at;
	size_t n;
	struct snapshot snapshot; /* totals alone */
};

enum process_sums_by {
	PROCESS_SUMS_BY_PROCESS, /* with what is of others (TM_PROCESS_OTHERS), and of none (0) */
	PROCESS_SUMS_BY_RANK,	 /* what is of none is not there */
};

/* 0 or -ENOMEM; in must outlive it. Give it back with process_sums__free() in any case. */
int process_sums__make(struct process_sums *out, const struct report_run *run,
		       const struct snapshot *in, enum process_sums_by by);
void process_sums__free(struct process_sums *sums);

/* Puts them into an order, and their series too. 0 or -ENOMEM. */
int process_sums__sort(struct process_sums *sums,
		       int (*compare)(const void *, const void *, void *), void *context);

#endif
