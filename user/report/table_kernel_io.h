/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel itself has counted of a job, below its tables: two lines. */
#ifndef USER_REPORT_TABLE_KERNEL_IO_H
#define USER_REPORT_TABLE_KERNEL_IO_H

#include "report/report.h"
#include "report/table_options.h"

/*
 * Of the series first to end - 1 of a job; interval: what came since the read before. false: there
 * was nothing to print.
 */
bool table_kernel_io__print(const struct table_options *options, const struct snapshot *snapshot,
			    size_t first, size_t end, bool interval);

#endif
