// SPDX-License-Identifier: GPL-2.0-only
#include "base/quantity.h"
#include "service/config_sections.h"

#define HISTORY_MIN   (1 << 20)
#define TIMELINES_MIN (64 << 10)

int config_history__read(struct config_reader *r)
{
	static const char *const known[] = { "file", "size", NULL };
	struct service_config *config = r->config;
	const yaml_node_t *section, *size;
	const char *text = NULL;
	bool none;
	int ret = config_reader__section(r, "history", known, &section, &none);

	if (ret == 0 && none)
		config->history = NULL;
	if (ret == 0)
		ret = config_reader__path(r, section, "file", &config->history);
	size = section ? yaml_doc__get(&r->doc, section, "size") : NULL;
	if (ret < 0 || !size)
		return ret;
	ret = yaml_doc__read_text(&r->doc, size, "size", &text, r->err);
	if (ret == 0 && (quantity__bytes(text, &config->history_size) < 0 ||
			 config->history_size < HISTORY_MIN))
		ret = yaml_doc__fail(
			&r->doc, size, r->err,
			"size is %s, a number of bytes from 1M on is needed, as in 64M",
			yaml_doc__quote(text).text);
	return ret;
}

int config_timelines__read(struct config_reader *r)
{
	const yaml_node_t *node = yaml_doc__get(&r->doc, yaml_doc__root(&r->doc), "timelines");
	__u64 *bytes = &r->config->timelines;
	const char *text = NULL;
	int ret = node ? yaml_doc__read_text(&r->doc, node, "timelines", &text, r->err) : 0;

	if (!node || ret < 0)
		return ret;
	if (config_reader__is_none(node))
		*bytes = 0;
	else if (quantity__bytes(text, bytes) < 0 || *bytes < TIMELINES_MIN)
		ret = yaml_doc__fail(&r->doc, node, r->err,
				     "timelines is %s, a number of bytes from 64K on is needed, as "
				     "in 1M, or none",
				     yaml_doc__quote(text).text);
	return ret;
}
