// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/name_list.h"

struct name_entry {
	char *name, *second;
	int number;
};

static int compare_names(const void *left, const void *right)
{
	const struct name_entry *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order ? order : strcmp(a->second, b->second);
}

static void free_entry(void *node)
{
	struct name_entry *entry = node;

	if (!entry)
		return;
	free(entry->name);
	free(entry->second);
	free(entry);
}

static int add_name(struct name_list *list, const struct name_entry *wanted)
{
	struct name_entry *entry = calloc(1, sizeof(*entry));

	if (entry) {
		entry->name = strdup(wanted->name);
		entry->second = strdup(wanted->second);
		entry->number = (int)list->n;
	}
	if (!entry || !entry->name || !entry->second ||
	    array__grow((void **)&list->at, &list->room, list->n, sizeof(*list->at)) < 0 ||
	    !tsearch(entry, &list->tree, compare_names)) {
		free_entry(entry);
		return -ENOMEM;
	}
	list->at[list->n++] = entry;
	return entry->number;
}

int name_list__number(struct name_list *list, const char *name, const char *second)
{
	const struct name_entry wanted = { .name = (char *)(name ? name : ""),
					   .second = (char *)(second ? second : "") };
	struct name_entry **node = tfind(&wanted, &list->tree, compare_names);

	return node ? (*node)->number : add_name(list, &wanted);
}

const char *name_list__name(const struct name_list *list, __u64 number)
{
	return number < list->n ? list->at[number]->name : NULL;
}

const char *name_list__second(const struct name_list *list, __u64 number)
{
	return number < list->n ? list->at[number]->second : NULL;
}

void name_list__free(struct name_list *list)
{
	tdestroy(list->tree, free_entry);
	free((void *)list->at);
	*list = (struct name_list){ 0 };
}
