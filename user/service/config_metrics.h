/* SPDX-License-Identifier: GPL-2.0-only */
/* The key "metrics": none, an address, or a section. */
#ifndef USER_SERVICE_CONFIG_METRICS_H
#define USER_SERVICE_CONFIG_METRICS_H

#include "service/config_reader.h"

#define METRICS_LISTEN	"127.0.0.1:9750"
#define METRICS_USER	"tmtrace-metrics"
#define METRICS_SAMPLES 10000

/* As the functions of config_reader.h. */
int config_metrics__read(struct config_reader *r);

#endif
