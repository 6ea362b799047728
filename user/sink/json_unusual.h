/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_SINK_JSON_UNUSUAL_H
#define USER_SINK_JSON_UNUSUAL_H

#include "report/unusual.h"
#include "sink/record.h"

/* Of type "unusual", see docs/records.md. */
void json_unusual__add_period(struct record *record, const struct report_run *run,
			      const struct timeline *timeline, const struct slow_period *period,
			      __u64 time_ns);
void json_unusual__add_node(struct record *record, const struct report_run *run,
			    const struct nodes_layer *layer, const struct slow_node *node,
			    __u64 time_ns);

#endif
