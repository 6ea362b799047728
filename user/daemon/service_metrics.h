/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes the service's figures for Prometheus, from one answer to the next, for those who may have
 * them.
 */
#ifndef USER_DAEMON_SERVICE_METRICS_H
#define USER_DAEMON_SERVICE_METRICS_H

#include "service/config.h"
#include "service/request.h"
#include "service/status.h"

struct service_metrics;

/* is_continued: the counters are older than this process. 0, or -ENOMEM. */
int service_metrics__open(struct service_metrics **out, const struct service_config *config,
			  bool is_continued, struct error *err);
void service_metrics__close(struct service_metrics *metrics); /* NULL is fine */

/* The configuration has changed. */
void service_metrics__choose(struct service_metrics *metrics, const struct service_config *config);

/* May that user have them? 0, or -EPERM or -ENOENT and why not. */
int service_metrics__may_see(const struct service_metrics *metrics, uid_t uid, struct error *err);
/* Writes all to body. 0, or -ENOMEM. */
int service_metrics__tell(struct service_metrics *metrics, const struct service_status *status,
			  const struct request *request, FILE *body, struct error *err);
/* Replaces the file for the textfile collector. 0, or a negative errno. */
int service_metrics__write_file(struct service_metrics *metrics,
				const struct service_status *status, const char *path,
				struct error *err);

#endif
