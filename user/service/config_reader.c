// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "service/config_reader.h"

#define DAY_S 86400

int config_reader__no_memory(const struct config_reader *r)
{
	return error__set(r->err, -ENOMEM, "%s: no memory", r->config->file);
}

bool config_reader__is_none(const yaml_node_t *node)
{
	return node->type == YAML_SCALAR_NODE &&
	       !strcmp((const char *)node->data.scalar.value, CONFIG_NONE);
}

/* A section that may be left out or be "none": *node is its mapping; NULL: it is not there. */
int config_reader__section(struct config_reader *r, const char *key, const char *const *known,
			   const yaml_node_t **node, bool *none)
{
	const yaml_node_t *value = yaml_doc__get(&r->doc, yaml_doc__root(&r->doc), key);

	*node = NULL;
	*none = value && config_reader__is_none(value);
	if (!value || *none)
		return 0;
	if (value->type != YAML_MAPPING_NODE)
		return yaml_doc__fail(&r->doc, value, r->err,
				      "%s is no mapping; write its keys below it, or %s: none", key,
				      key);
	*node = value;
	return yaml_doc__check_keys(&r->doc, value, key, known, r->err);
}

int config_reader__keep(const struct config_reader *r, const char *text, const char **out)
{
	*out = strings__keep(&r->config->strings, text);
	return *out ? 0 : config_reader__no_memory(r);
}

int config_reader__append(const struct config_reader *r, const char *text, const char ***texts,
			  size_t *n, size_t *room)
{
	int ret;

	if (array__grow((void **)texts, room, *n, sizeof(**texts)) < 0)
		return config_reader__no_memory(r);
	ret = config_reader__keep(r, text, &(*texts)[*n]);
	if (ret < 0)
		return ret;
	(*n)++;
	return 0;
}

/* A path from the root: the service has no folder that it is in. */
int config_reader__path(struct config_reader *r, const yaml_node_t *section, const char *key,
			const char **out)
{
	const yaml_node_t *node = section ? yaml_doc__get(&r->doc, section, key) : NULL;
	const char *text = NULL;
	int ret;

	if (!node)
		return 0;
	ret = yaml_doc__read_text(&r->doc, node, key, &text, r->err);
	if (ret < 0)
		return ret;
	if (text[0] != '/')
		return yaml_doc__fail(&r->doc, node, r->err,
				      "%s is %s, a path that begins with / is needed", key,
				      yaml_doc__quote(text).text);
	return config_reader__keep(r, text, out);
}

int config_reader__number(struct config_reader *r, const yaml_node_t *section, const char *key,
			  long min, long max, long *out)
{
	const yaml_node_t *node = section ? yaml_doc__get(&r->doc, section, key) : NULL;

	return node ? yaml_doc__read_number(&r->doc, node, key, min, max, out, r->err) : 0;
}

int config_reader__seconds(struct config_reader *r, const yaml_node_t *section, double *out)
{
	long seconds = (long)*out;
	int ret = config_reader__number(r, section, "interval", 1, DAY_S, &seconds);

	*out = (double)seconds;
	return ret;
}

/* A list of words, or one, with their lines; *names is to be freed, its strings are kept. */
int config_reader__names(struct config_reader *r, const yaml_node_t *node, const char *what,
			 struct service_name **names, size_t *n_names)
{
	size_t room = 0;

	free(*names);
	*names = NULL;
	*n_names = 0;
	for (size_t i = 0; i < yaml_doc__n_items(node); i++) {
		const yaml_node_t *item = yaml_doc__item(&r->doc, node, i);
		struct service_name name = { .line = yaml_doc__line(item) };
		int ret = yaml_doc__read_text(&r->doc, item, what, &name.text, r->err);

		if (ret == 0)
			ret = config_reader__keep(r, name.text, &name.text);
		if (ret < 0)
			return ret;
		if (array__grow((void **)names, &room, *n_names, sizeof(name)) < 0)
			return config_reader__no_memory(r);
		(*names)[(*n_names)++] = name;
	}
	return 0;
}
