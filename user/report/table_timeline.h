/* SPDX-License-Identifier: GPL-2.0-only */
/* When a job's calls were, as lines of blocks: how many, how much, how slow. */
#ifndef USER_REPORT_TABLE_TIMELINE_H
#define USER_REPORT_TABLE_TIMELINE_H

#include "report/report.h"
#include "report/table_options.h"

/* Those of a job, a few lines for each layer. Nothing where none were kept. 0 or -ENOMEM. */
int table_timeline__print(const struct table_options *options, const struct report_run *run,
			  const struct snapshot *snapshot, __u64 job);

#endif
