/* SPDX-License-Identifier: GPL-2.0-only */
/* The storage pools that libraries have told of, a line each. */
#ifndef USER_REPORT_POOL_TABLE_H
#define USER_REPORT_POOL_TABLE_H

#include "report/report.h"
#include "report/table_options.h"

/* Nothing where there are none. 0 or -ENOMEM; what writing says is left to table__flush(). */
int pool_table__print(const struct table_options *options, const struct report_run *run);

#endif
