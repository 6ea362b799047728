/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_SINK_JSON_UNUSUAL_H
#define USER_SINK_JSON_UNUSUAL_H

#include <json-c/json.h>

#include "report/unusual.h"

/* Of type "unusual", see docs/records.md. NULL without memory. */
struct json_object *json_unusual__period(const struct report_run *run,
					 const struct timeline *timeline,
					 const struct slow_period *period, __u64 time_ns);
struct json_object *json_unusual__node(const struct report_run *run,
				       const struct nodes_layer *layer,
				       const struct slow_node *node, __u64 time_ns);

#endif
