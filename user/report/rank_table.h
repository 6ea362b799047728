/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of a job's ranks was slowest. */
#ifndef USER_REPORT_RANK_TABLE_H
#define USER_REPORT_RANK_TABLE_H

#include "report/report.h"
#include "report/table_options.h"

/*
 * Of a snapshot that is not folded: for each layer that at least two ranks used, a line with the
 * slowest, the median and the fastest. 0 or -ENOMEM; what writing says is left to table__flush().
 */
int rank_table__print(const struct table_options *options, const struct report_run *run,
		      const struct snapshot *snapshot);

#endif
