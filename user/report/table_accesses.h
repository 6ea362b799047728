/* SPDX-License-Identifier: GPL-2.0-only */
/* How a job's files were read and written: sizes, order, the slowest. */
#ifndef USER_REPORT_TABLE_ACCESSES_H
#define USER_REPORT_TABLE_ACCESSES_H

#include "report/report.h"
#include "report/table_options.h"

/* Nothing where no file of the job was read or written. 0 or -ENOMEM. */
int table_accesses__print(const struct table_options *options, const struct snapshot *snapshot,
			  __u64 job);

#endif
