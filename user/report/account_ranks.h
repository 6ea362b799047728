/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of a job's ranks was slowest, by the accounts of its processes. */
#ifndef USER_REPORT_ACCOUNT_RANKS_H
#define USER_REPORT_ACCOUNT_RANKS_H

#include "report/combined.h"
#include "report/report.h"
#include "report/table_options.h"

/*
 * For each layer that at least two ranks of the parts used, a line as of rank_table__print(); of
 * libraries the time is that of calls not made inside another one of the library. Parts whose
 * series tell processes apart are left to that. 0 or -ENOMEM; what writing says is left to
 * table__flush().
 */
int account_ranks__print(const struct table_options *options, const struct report_part *parts,
			 size_t n);

#endif
