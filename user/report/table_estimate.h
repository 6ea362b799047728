/* SPDX-License-Identifier: GPL-2.0-only */
/* Says below a table what its estimates are of. */
#ifndef USER_REPORT_TABLE_ESTIMATE_H
#define USER_REPORT_TABLE_ESTIMATE_H

#include "report/report.h"
#include "report/table_layer.h"
#include "report/table_options.h"

/* Of operations on files of a job. Nothing, and false, where all were counted. */
bool table_estimate__print_files(const struct table_options *options,
				 const struct coverage *coverage, bool any_rows);

/* Of n rows of calls of a library. Nothing where all were timed. */
void table_estimate__print_calls(const struct table_options *options, const struct table_row *rows,
				 size_t n);

#endif
