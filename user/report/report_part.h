/* SPDX-License-Identifier: GPL-2.0-only */
/* One of several runs that are reported together. */
#ifndef USER_REPORT_REPORT_PART_H
#define USER_REPORT_REPORT_PART_H

#include "process/rank_sums.h"
#include "report/report.h"

/* All belong to the caller, and outlive what is made of them. */
struct report_part {
	const char *name; /* as tables say it: the node, or the file */
	const struct report_run *run;
	const struct snapshot *snapshot;
	const struct rank_sums *ranks; /* by accounts of processes; NULL: none */
};

#endif
