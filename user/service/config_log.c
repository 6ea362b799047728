// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "service/config_sections.h"

/* Those that are there without anything that only a single run has. */
static const unsigned int possible_types =
	~(SYSLOG_RECORDED | 1U << SYSLOG_OBJECT | 1U << SYSLOG_ADDB);

static int add_type(struct config_reader *r, const yaml_node_t *node)
{
	char known[256] = "";
	const char *text = NULL;
	size_t used = 0;
	int ret = yaml_doc__read_text(&r->doc, node, "a type", &text, r->err);

	if (ret < 0)
		return ret;
	for (enum syslog_type i = 0; i < SYSLOG_TYPES; i++) {
		if (!(possible_types >> i & 1))
			continue;
		if (!strcmp(text, syslog_type_names[i])) {
			r->config->log.types |= 1U << i;
			return 0;
		}
		if (used < sizeof(known))
			used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
						 used ? ", " : "", syslog_type_names[i]);
	}
	return yaml_doc__fail(&r->doc, node, r->err, "there is no type %s, known are: %s",
			      yaml_doc__quote(text).text, known);
}

int config_log__read(struct config_reader *r)
{
	static const char *const known[] = { "types", "rate", "socket", "journal", NULL };
	struct syslog_options *log = &r->config->log;
	const yaml_node_t *section, *types;
	const char *journal = NULL;
	long rate = log->rate;
	bool none;
	int ret = config_reader__section(r, "log", known, &section, &none);

	if (none)
		log->types = 0;
	if (ret < 0 || !section)
		return ret;
	types = yaml_doc__get(&r->doc, section, "types");
	if (types)
		log->types = 0;
	for (size_t i = 0; ret == 0 && types && i < yaml_doc__n_items(types); i++)
		ret = add_type(r, yaml_doc__item(&r->doc, types, i));
	if (ret == 0)
		ret = config_reader__number(r, section, "rate", 1, 1000000, &rate);
	log->rate = (unsigned int)rate;
	if (ret == 0)
		ret = config_reader__path(r, section, "socket", &log->path);
	if (ret == 0)
		ret = config_reader__path(r, section, "journal", &journal);
	if (ret == 0 && journal && log->path)
		return yaml_doc__fail(&r->doc, section, r->err,
				      "log has a socket and a journal, remove one");
	if (journal) {
		log->path = journal;
		log->journal = true;
	}
	return ret;
}
