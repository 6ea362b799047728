/* SPDX-License-Identifier: GPL-2.0-only */
/* How the service fares, as metrics. */
#ifndef USER_SERVICE_NODE_METRICS_H
#define USER_SERVICE_NODE_METRICS_H

#include "metrics/text.h"
#include "service/status.h"

void node_metrics__write(struct metrics_text *text, const struct service_status *status);

#endif
