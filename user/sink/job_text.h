/* SPDX-License-Identifier: GPL-2.0-only */
/* The record of a job: what all its processes did together, and used. */
#ifndef USER_SINK_JSON_JOB_H
#define USER_SINK_JSON_JOB_H

#include <json-c/json.h>

#include "report/jobs.h"

/* The job that jobs is at; over: the run has ended. NULL without memory. */
struct json_object *json_job__record(const struct report_run *run, const struct jobs *jobs,
				     bool over);

#endif
