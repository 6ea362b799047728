/* SPDX-License-Identifier: GPL-2.0-only */
/* The "pool" record. */
#ifndef USER_SINK_JSON_POOL_H
#define USER_SINK_JSON_POOL_H

#include <json-c/json.h>

#include "report/report.h"

/* Of a pool of the run; to be given back with json_object_put(). NULL without memory. */
struct json_object *json_pool__record(const struct report_run *run, const struct pool_info *pool,
				      __u64 time_ns);

#endif
