/* SPDX-License-Identifier: GPL-2.0-only */
/* What records of processes say, of a run's layers, and as selFIe names it. */
#ifndef USER_REPORT_ACCOUNT_FIGURES_H
#define USER_REPORT_ACCOUNT_FIGURES_H

#include "process/account.h"
#include "report/report.h"

/* Operations or calls; is_known: they are traced. */
struct account_figure {
	__u64 count, ns;
	bool is_known;
};

/* All operations on files. */
struct account_figure account_figures__files(const struct report_run *run,
					     const struct process_account *account);
/* Reads or writes of files. */
struct account_figure account_figures__access(const struct report_run *run,
					      const struct process_account *account,
					      enum tm_direction direction);
/* Calls of a library of the catalogue. */
struct account_figure account_figures__layer(const struct report_run *run,
					     const struct process_account *account,
					     const char *layer);
bool account_figures__has_storage(const struct report_run *run);

/*
 * The name of the user that a process runs as, until the next call; NULL: none is known. It is
 * looked up once for each in turn.
 */
const char *account_figures__user(__u32 uid);

/* How it ended: the exit code, or the signal that killed it; -1: that was not it. */
int account_figures__exit_code(const struct process_account *account);
int account_figures__signal(const struct process_account *account);

#endif
