/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the process that had a pid at a time, among those that a run tells apart. */
#ifndef USER_REPORT_PROCESS_INDEX_H
#define USER_REPORT_PROCESS_INDEX_H

#include "report/report.h"

struct process_index;

struct process_index *process_index__new(void);	       /* NULL: no memory */
void process_index__free(struct process_index *index); /* NULL is fine */

/*
 * Its number, 0 where it is not told apart; time_ns is CLOCK_REALTIME. A run that has got more of
 * them, and another run, are noticed; without memory nobody is found.
 */
__u32 process_index__find(struct process_index *index, const struct report_run *run, __u32 pid,
			  __u64 time_ns);

#endif
