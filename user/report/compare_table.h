/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_REPORT_COMPARE_TABLE_H
#define USER_REPORT_COMPARE_TABLE_H

#include "report/compare.h"
#include "report/table.h"

/*
 * Says what has changed, in a line for each, then a table with every layer and the functions that
 * have changed. 0, -ENOMEM, or what writing says.
 */
int compare_table__print(const struct table_options *options, const struct compare_row *rows,
			 size_t n, struct error *err);

#endif
