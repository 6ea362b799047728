/* SPDX-License-Identifier: GPL-2.0-only */
/* What Prometheus gets: all metrics where it asks, sums by job and layer in a file. */
#ifndef USER_SERVICE_PROMETHEUS_H
#define USER_SERVICE_PROMETHEUS_H

#include <stdio.h>

#include "base/error.h"
#include "metrics/metrics.h"
#include "service/status.h"

struct prometheus {
	const struct service_status *status;
	const struct metrics *metrics; /* of the status's snapshot */
};

/* 0 or -ENOMEM. */
int prometheus__write(const struct prometheus *prometheus, enum metrics_format format, FILE *out);

/*
 * The node's metrics and the jobs' sums, in the text format of Prometheus, for the textfile
 * collector of node_exporter. prometheus: a struct prometheus.
 */
void prometheus__write_sums(void *prometheus, FILE *out);

#endif
