/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the options of a session from the configuration of the service. */
#ifndef USER_DAEMON_SERVICE_SETUP_H
#define USER_DAEMON_SERVICE_SETUP_H

#include <stdbool.h>

#include "service/config.h"
#include "session/session.h"

/*
 * What a command line would say for it. Its strings are the configuration's; to be freed with
 * options__free(). 0, or -ENOMEM.
 */
int service_setup__options(struct options *options, const struct service_config *config,
			   struct error *err);

/* Opens the catalogue and chooses the layers: -EINVAL with file and line for an unknown one. */
int service_setup__layers(struct session *session, const struct service_config *config,
			  struct error *err);

/*
 * Can b follow a without that tracing begins anew? It may leave out layers of the kernel that a
 * has.
 */
bool service_setup__follows(const struct service_config *a, const struct service_config *b);

/* Has it that layer, "vfs" for instance? */
bool service_setup__has_layer(const struct service_config *config, const char *name);

#endif
