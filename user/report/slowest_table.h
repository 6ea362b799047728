/* SPDX-License-Identifier: GPL-2.0-only */
/* Single calls and operations as tables, a line each, in the order in which they are given. */
#ifndef USER_REPORT_SLOWEST_TABLE_H
#define USER_REPORT_SLOWEST_TABLE_H

#include "report/kept_call.h"
#include "report/table.h"

/* With a heading. 0 or -ENOMEM. */
int slowest_table__calls(const struct table_options *options, const struct kept_call *calls,
			 size_t n);
int slowest_table__operations(const struct table_options *options,
			      const struct kept_call *operations, size_t n);

#endif
