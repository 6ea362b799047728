// SPDX-License-Identifier: GPL-2.0-only
#include <regex.h>
#include <string.h>

#include "base/quantity.h"
#include "service/config_sections.h"

#define PROCESSES_MAX 1000000

static int read_excluded(struct config_reader *r, const yaml_node_t *node)
{
	regex_t regex;
	int ret = config_reader__names(r, node, "exclude", &r->config->excluded,
				       &r->config->n_excluded);

	for (size_t i = 0; ret == 0 && i < r->config->n_excluded; i++) {
		const char *text = r->config->excluded[i].text;

		if (regcomp(&regex, text, REG_EXTENDED | REG_NOSUB) != 0)
			return yaml_doc__fail(&r->doc, yaml_doc__item(&r->doc, node, i), r->err,
					      "exclude has %s, which is no regular expression",
					      yaml_doc__quote(text).text);
		regfree(&regex);
	}
	return ret;
}

/* Names of variables. */
static int read_variables(struct config_reader *r, const yaml_node_t *node)
{
	struct service_config *config = r->config;
	size_t room = 0;

	for (size_t i = 0; i < yaml_doc__n_items(node); i++) {
		const yaml_node_t *item = yaml_doc__item(&r->doc, node, i);
		const char *text = NULL;
		int ret = yaml_doc__read_text(&r->doc, item, "a variable", &text, r->err);

		if (ret < 0)
			return ret;
		if (!text[0] || strchr(text, '='))
			return yaml_doc__fail(
				&r->doc, item, r->err,
				"env_vars has %s, names without values are needed, as "
				"in [USER, OMP_NUM_THREADS]",
				yaml_doc__quote(text).text);
		ret = config_reader__append(r, text, &config->env_vars, &config->n_env_vars, &room);
		if (ret < 0)
			return ret;
	}
	return 0;
}

int config_processes__read(struct config_reader *r)
{
	static const char *const known[] = { "exclude", "min_wall", "env_vars", "max_processes",
					     NULL };
	const yaml_node_t *section, *exclude, *wall, *variables;
	long room = r->config->processes;
	const char *text = NULL;
	bool none;
	int ret = config_reader__section(r, "processes", known, &section, &none);

	if (none) {
		r->config->log.types &= ~SYSLOG_PROCESSES;
		r->config->accounts = false;
	}
	if (ret < 0 || !section)
		return ret;
	exclude = yaml_doc__get(&r->doc, section, "exclude");
	wall = yaml_doc__get(&r->doc, section, "min_wall");
	variables = yaml_doc__get(&r->doc, section, "env_vars");
	if (exclude)
		ret = read_excluded(r, exclude);
	if (ret == 0 && variables)
		ret = read_variables(r, variables);
	if (ret == 0)
		ret = config_reader__number(r, section, "max_processes", 1, PROCESSES_MAX, &room);
	r->config->processes = (unsigned int)room;
	if (ret == 0 && wall)
		ret = yaml_doc__read_text(&r->doc, wall, "min_wall", &text, r->err);
	if (ret == 0 && wall && quantity__ns(text, &r->config->min_wall_ns) < 0)
		ret = yaml_doc__fail(&r->doc, wall, r->err,
				     "min_wall is %s, a time is needed, as in 500ms or 2s",
				     yaml_doc__quote(text).text);
	return ret;
}
