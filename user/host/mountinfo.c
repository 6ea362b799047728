// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "host/files.h"
#include "host/mountinfo.h"

/* The next field, ended in place and with its escapes undone; NULL at the end of the line. */
static char *next_field(char **rest)
{
	char *field = strsep(rest, " ");

	if (field)
		files__unescape(field, " \t\n\\#");
	return field;
}

bool mountinfo__parse(char *line, struct mountinfo *out)
{
	char *rest = NULL, *field;
	int at = 0;

	if (sscanf(line, "%d %*d %u:%u %n", &out->id, &out->major, &out->minor, &at) != 3 || !at)
		return false;
	rest = line + at;
	out->root = next_field(&rest);
	out->point = next_field(&rest);
	/* Options of the mount, then any number of optional fields, closed by a dash. */
	do {
		field = next_field(&rest);
	} while (field && strcmp(field, "-") != 0);
	out->type = next_field(&rest);
	out->source = next_field(&rest);
	out->options = next_field(&rest);
	return out->root && out->point && out->type && out->source && out->options;
}

bool mountinfo__has_option(const char *options, const char *option, size_t n)
{
	for (;;) {
		size_t length = strcspn(options, ",");

		if (length == n && strncmp(options, option, n) == 0)
			return true;
		if (!options[length])
			return false;
		options += length + 1;
	}
}
