/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the files for other programs at intervals: pairs of name and value, and the metrics for
 * the textfile collector. A file that cannot be written is tried again after growing pauses.
 */
#ifndef USER_DAEMON_SERVICE_FILES_H
#define USER_DAEMON_SERVICE_FILES_H

#include "base/loop.h"
#include "daemon/service_metrics.h"
#include "service/config.h"

struct service_files;

/* How the service fares now, for a further try. 0, or a negative errno. */
typedef int (*service_files_read)(void *context, struct service_status *out, struct error *err);

/* Configuration and metrics must outlive it. NULL without memory. */
struct service_files *service_files__new(const struct service_config *config,
					 struct service_metrics *metrics, service_files_read read,
					 void *context);
void service_files__free(struct service_files *files); /* NULL is fine */

/* Has tries come from the loop. 0, or a negative errno. */
int service_files__watch(struct service_files *files, struct loop *loop);

/* An interval is over: writes those that do not fail, or are to be tried again. */
void service_files__write(struct service_files *files, const struct service_status *status);

/* Tries those that fail at once, from the loop. */
void service_files__hurry(struct service_files *files);

/* Puts the states of those that the configuration has into *out; they live as long as the files. */
void service_files__states(const struct service_files *files, struct service_outputs *out);

#endif
