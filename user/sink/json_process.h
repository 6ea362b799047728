/* SPDX-License-Identifier: GPL-2.0-only */
/* The record of a process: what it did until it ended. */
#ifndef USER_SINK_JSON_PROCESS_H
#define USER_SINK_JSON_PROCESS_H

#include "process/account.h"
#include "report/report.h"
#include "sink/record.h"

/* Of one process, or of several together. */
void json_process__add(struct record *record, const struct report_run *run,
		       const struct process_account *account);

#endif
