/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading keys of the service's configuration. What fails with -EINVAL has the file, the line and
 * what would do in r->err; all else is 0 or -ENOMEM. Where a key is not there, its value stays.
 */
#ifndef USER_SERVICE_CONFIG_READER_H
#define USER_SERVICE_CONFIG_READER_H

#include <stdbool.h>

#include "base/yaml_doc.h"
#include "service/config.h"

/* The word for what is not wanted. */
#define CONFIG_NONE "none"

struct config_reader {
	struct service_config *config;
	struct yaml_doc doc;
	struct error *err;
};

int config_reader__no_memory(const struct config_reader *r); /* -ENOMEM */
bool config_reader__is_none(const yaml_node_t *node);

/* A section that may be left out or be "none": *node is its mapping; NULL: it is not there. */
int config_reader__section(struct config_reader *r, const char *key, const char *const *known,
			   const yaml_node_t **node, bool *none);
/* A copy that lives as long as the configuration. */
int config_reader__keep(const struct config_reader *r, const char *text, const char **out);
/* Adds a copy to a list of n texts, which has room for so many; it is the caller's to free. */
int config_reader__append(const struct config_reader *r, const char *text, const char ***texts,
			  size_t *n, size_t *room);
/* A path from the root, of a section, which may be NULL. */
int config_reader__path(struct config_reader *r, const yaml_node_t *section, const char *key,
			const char **out);
int config_reader__number(struct config_reader *r, const yaml_node_t *section, const char *key,
			  long min, long max, long *out);
/* The key "interval": whole seconds, at most a day. */
int config_reader__seconds(struct config_reader *r, const yaml_node_t *section, double *out);
/* A list of words, or one, with their lines; *names is to be freed, its strings are kept. */
int config_reader__names(struct config_reader *r, const yaml_node_t *node, const char *what,
			 struct service_name **names, size_t *n_names);

#endif
