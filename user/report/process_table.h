/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of processes, where they are told apart. */
#ifndef USER_REPORT_PROCESS_TABLE_H
#define USER_REPORT_PROCESS_TABLE_H

#include "report/report.h"
#include "report/table_options.h"

/* So many are shown, and the others added up. */
#define PROCESS_TABLE_MAX 10

/*
 * Of a snapshot that is not folded: for each process a line per layer, the busiest first, or as the
 * options say. Nothing where not even two are told apart. 0 or -ENOMEM; what writing says is left
 * to table__flush().
 */
int process_table__print(const struct table_options *options, const struct report_run *run,
			 const struct snapshot *snapshot);

#endif
