/* SPDX-License-Identifier: GPL-2.0-only */
/* The record of a file or object. */
#ifndef USER_SINK_JSON_OBJECT_H
#define USER_SINK_JSON_OBJECT_H

#include <json-c/json.h>

#include "report/report.h"

/* Object i of a snapshot, to be given back with json_object_put(); NULL without memory. */
struct json_object *json_object_record(const struct report_run *run,
				       const struct snapshot *snapshot, size_t i);

#endif
