/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_DAEMON_SERVICE_CLEAN_H
#define USER_DAEMON_SERVICE_CLEAN_H

#include "base/error.h"
#include "service/config.h"

/*
 * Removes what a service with this configuration has left: its probes and counters, its socket and
 * lock. Its history and the files for other programs stay. 0; -EADDRINUSE: it runs; or another
 * negative errno.
 */
int service_clean(const struct service_config *config, struct error *err);

#endif
