// SPDX-License-Identifier: GPL-2.0-only
#include "base/address.h"
#include "metrics/metrics.h"
#include "service/config_sections.h"

#define SAMPLES_MAX 1000000

static int read_listen(struct config_reader *r, const yaml_node_t *node, const char *key)
{
	const char *text = NULL;
	struct address address;
	int ret = yaml_doc__read_text(&r->doc, node, key, &text, r->err);

	if (ret < 0)
		return ret;
	if (address__parse(&address, text) < 0)
		return yaml_doc__fail(
			&r->doc, node, r->err,
			"%s is %s, a port or a numeric address with a port is needed, "
			"as in 9750 or 127.0.0.1:9750",
			key, yaml_doc__quote(text).text);
	return config_reader__keep(r, text, &r->config->metrics_listen);
}

static int read_user(struct config_reader *r, const yaml_node_t *node)
{
	const char *text = NULL;
	int ret = yaml_doc__read_text(&r->doc, node, "user", &text, r->err);

	if (ret < 0)
		return ret;
	if (!text[0])
		return yaml_doc__fail(&r->doc, node, r->err,
				      "user is empty, a user's name is needed");
	return config_reader__keep(r, text, &r->config->metrics_user);
}

int config_metrics__read(struct config_reader *r)
{
	static const char *const known[] = { "listen", "user", "max_samples", NULL };
	const yaml_node_t *node = yaml_doc__get(&r->doc, yaml_doc__root(&r->doc), "metrics");
	const yaml_node_t *section, *listen, *user;
	long samples = r->config->metrics_samples;
	bool none;
	int ret;

	if (!node || config_reader__is_none(node))
		return 0;
	r->config->metrics = true;
	if (node->type == YAML_SCALAR_NODE)
		return read_listen(r, node, "metrics");
	ret = config_reader__section(r, "metrics", known, &section, &none);
	if (ret < 0)
		return ret;
	listen = yaml_doc__get(&r->doc, section, "listen");
	user = yaml_doc__get(&r->doc, section, "user");
	if (listen)
		ret = read_listen(r, listen, "listen");
	if (ret == 0 && user)
		ret = read_user(r, user);
	if (ret == 0)
		ret = config_reader__number(r, section, "max_samples", METRICS_LEAST, SAMPLES_MAX,
					    &samples);
	r->config->metrics_samples = (unsigned int)samples;
	return ret;
}
