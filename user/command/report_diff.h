/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_COMMAND_REPORT_DIFF_H
#define USER_COMMAND_REPORT_DIFF_H

#include "report/compare.h"
#include "report/filter.h"
#include "report/table.h"

/*
 * tmtrace report --diff: prints what has changed from one recording to another, of what the filter
 * lets through. 0, or a negative errno.
 */
int report_diff__print(const char *const paths[COMPARE_SIDES], const struct filter *filter,
		       const struct table_options *options, struct error *err);

#endif
