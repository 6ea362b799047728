/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_SINK_JSON_NODES_H
#define USER_SINK_JSON_NODES_H

#include "report/nodes.h"
#include "sink/record.h"

/* The record of a layer that several runs have used. */
void json_nodes__add(struct record *record, const struct report_run *run,
		     const struct nodes_layer *layer, __u64 time_ns);

#endif
