/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_SINK_JSON_NODES_H
#define USER_SINK_JSON_NODES_H

#include <json-c/json.h>

#include "report/nodes.h"

/* The record of a layer that several runs have used. NULL without memory. */
struct json_object *json_nodes__record(const struct report_run *run,
				       const struct nodes_layer *layer, __u64 time_ns);

#endif
