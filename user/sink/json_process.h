/* SPDX-License-Identifier: GPL-2.0-only */
/* The record of a process: what it did until it ended. */
#ifndef USER_SINK_JSON_PROCESS_H
#define USER_SINK_JSON_PROCESS_H

#include <json-c/json.h>

#include "process/account.h"
#include "report/report.h"

/* To be given back with json_object_put(); NULL without memory. */
struct json_object *json_process__record(const struct report_run *run,
					 const struct process_account *account);

#endif
