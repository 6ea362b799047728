// SPDX-License-Identifier: GPL-2.0-only
#include <search.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "top/names.h"

struct name {
	size_t users;
	char text[];
};

struct top_names {
	void *tree; /* of struct name, tsearch(3) */
};

static int compare_names(const void *left, const void *right)
{
	const struct name *a = left, *b = right;

	return strcmp(a->text, b->text);
}

static struct name *name_of(const char *text)
{
	return (struct name *)(void *)(text - offsetof(struct name, text));
}

struct top_names *top_names__new(void)
{
	return calloc(1, sizeof(struct top_names));
}

void top_names__free(struct top_names *names)
{
	if (names)
		tdestroy(names->tree, free);
	free(names);
}

const char *top_names__take(struct top_names *names, const char *text)
{
	size_t length = text ? strlen(text) + 1 : 0;
	struct name *name = text ? malloc(sizeof(*name) + length) : NULL, **found;

	if (!name)
		return NULL;
	name->users = 0;
	memcpy(name->text, text, length);
	found = tsearch(name, &names->tree, compare_names);
	if (!found || *found != name)
		free(name);
	if (!found)
		return NULL;
	(*found)->users++;
	return (*found)->text;
}

const char *top_names__share(const char *name)
{
	name_of(name)->users++;
	return name;
}

void top_names__give(struct top_names *names, const char *name)
{
	struct name *given = name ? name_of(name) : NULL;

	if (!given || --given->users)
		return;
	tdelete(given, &names->tree, compare_names);
	free(given);
}
