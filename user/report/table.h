/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables for people. */
#ifndef USER_REPORT_TABLE_H
#define USER_REPORT_TABLE_H

#include "report/report.h"
#include "report/table_options.h"

/* The terminal's width in characters; 0 where out is none. */
unsigned int table__width(FILE *out);

/* Has what was printed written: 0, or what writing says. */
int table__flush(FILE *out, struct error *err);

/*
 * What was recorded in all, with the notes; and what came since the read before. 0, -ENOMEM, or
 * what writing says.
 */
int table__print(const struct table_options *options, const struct report_run *run,
		 const struct snapshot *snapshot, struct error *err);
int table__print_interval(const struct table_options *options, const struct report_run *run,
			  const struct snapshot *snapshot, struct error *err);

#endif
