/* SPDX-License-Identifier: GPL-2.0-only */
/* Several runs side by side: the nodes of a job, or its ranks. */
#ifndef USER_REPORT_NODES_H
#define USER_REPORT_NODES_H

#include "report/combined.h"
#include "report/table.h"

/*
 * For each layer a table with a row for each part, the slowest first, and which are the slowest and
 * the fastest. 0, -ENOMEM, or what writing says.
 */
int nodes__print(const struct table_options *options, const struct report_part *parts, size_t n,
		 struct error *err);

#endif
