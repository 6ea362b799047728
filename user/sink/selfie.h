/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The record of a process as selFIe prints it at a normal exit (https://github.com/cea-hpc/selFIe):
 * its keys in its order, seconds and GiB with two decimals, jobid and pid as strings. Other than
 * selFIe's, a line is one JSON object whatever a name has in it, and is never split.
 */
#ifndef USER_SINK_SELFIE_H
#define USER_SINK_SELFIE_H

#include <stddef.h>

#include "process/account.h"
#include "report/report.h"

/*
 * The line, without a newline, to be freed with free(); NULL: no memory. Where it would be longer
 * than most bytes, it does without the command, and what the environment says.
 */
char *selfie__line(const struct report_run *run, const struct process_account *account,
		   size_t most);

#endif
