/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One record as an object, to be given back with json_object_put(). NULL without memory: single
 * values that found no memory are null.
 */
#ifndef USER_SINK_JSON_RECORD_H
#define USER_SINK_JSON_RECORD_H

#include <json-c/json.h>

#include "report/report.h"

/* end_ns is 0 at the start; then notes are the run's own. */
struct json_object *json_record__run(const struct report_run *run, __u64 end_ns,
				     const char *const *notes, size_t n_notes);

#endif
