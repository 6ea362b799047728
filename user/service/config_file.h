/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the configuration of the service from its file. */
#ifndef USER_SERVICE_CONFIG_FILE_H
#define USER_SERVICE_CONFIG_FILE_H

#include <stddef.h>

#include "service/config.h"

/* Of no file. 0, or -ENOMEM. End with service_config__free(). */
int service_config__defaults(struct service_config *config);

/*
 * Reads a file, or len bytes of text that came from it. 0, or a negative errno, -EINVAL with err
 * "FILE:LINE: ..."; then there is nothing to be freed. path must outlive the configuration.
 */
int service_config__read(struct service_config *config, const char *path, struct error *err);
int service_config__parse(struct service_config *config, const char *path, const char *text,
			  size_t len, struct error *err);
/*
 * Reads the file, as who called sudo; NULL: that of the machine, or the defaults where there is
 * none. The same.
 */
int service_config__load(struct service_config *config, const char *path, struct error *err);
void service_config__free(struct service_config *config);

#endif
