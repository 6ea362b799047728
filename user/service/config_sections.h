/* SPDX-License-Identifier: GPL-2.0-only */
/* Sections of the service's configuration that are read by files of their own. */
#ifndef USER_SERVICE_CONFIG_SECTIONS_H
#define USER_SERVICE_CONFIG_SECTIONS_H

#include "service/config_reader.h"

/* The key "metrics": none, an address, or a section. */
#define METRICS_LISTEN	"127.0.0.1:9750"
#define METRICS_USER	"tmtrace-metrics"
#define METRICS_SAMPLES 10000

/* Each as the functions of config_reader.h. */
int config_metrics__read(struct config_reader *r);
int config_history__read(struct config_reader *r);
int config_timelines__read(struct config_reader *r);
int config_log__read(struct config_reader *r);
int config_processes__read(struct config_reader *r);

#endif
