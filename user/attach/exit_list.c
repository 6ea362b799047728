// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attach/exit_list.h"
#include "base/array.h"
#include "target/exits.h"

/* A site returns by an instruction. */
struct use {
	__u64 offset;
	size_t site;
};

struct exit_list {
	struct use *uses; /* by offset */
	size_t n_uses, room;
	__u64 *offsets;
	size_t n;
};

static int compare(const void *left, const void *right)
{
	const struct use *a = left, *b = right;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int add_uses(struct exit_list *list, size_t site, const struct exits_found *found)
{
	for (size_t i = 0; i < found->n; i++) {
		if (array__grow((void **)&list->uses, &list->room, list->n_uses,
				sizeof(*list->uses)) < 0)
			return -ENOMEM;
		list->uses[list->n_uses++] =
			(struct use){ .offset = found->offsets[i], .site = site };
	}
	return 0;
}

static int find_all(struct exit_list *list, struct site_list *sites, struct exits *exits)
{
	for (size_t i = 0; i < site_list__n(sites); i++) {
		struct site *site = site_list__at(sites, i);
		struct exits_found found;

		if (site->untimed)
			continue;
		site->untimed = exits__find(exits, site->offset, &found);
		if (site->untimed)
			continue;
		site->tail_calls = found.tail_calls;
		if (add_uses(list, i, &found) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Each offset once. */
static int collect_offsets(struct exit_list *list)
{
	if (!list->n_uses)
		return 0;
	qsort(list->uses, list->n_uses, sizeof(*list->uses), compare);
	list->offsets = calloc(list->n_uses, sizeof(*list->offsets));
	if (!list->offsets)
		return -ENOMEM;
	for (size_t i = 0; i < list->n_uses; i++)
		if (!list->n || list->offsets[list->n - 1] != list->uses[i].offset)
			list->offsets[list->n++] = list->uses[i].offset;
	return 0;
}

int exit_list__find(struct exit_list **out, struct site_list *sites, int fd,
		    const struct elf_file *elf, const char *name, struct error *err)
{
	struct exit_list *list = calloc(1, sizeof(*list));
	struct exits *exits = NULL;
	int rc;

	if (!list)
		return error__set(err, -ENOMEM, "%s: no memory", name);
	rc = exits__open(&exits, fd, elf, name, err);
	if (rc < 0)
		goto fail;
	rc = find_all(list, sites, exits);
	if (!rc)
		rc = collect_offsets(list);
	exits__close(exits);
	if (rc < 0) {
		error__set(err, rc, "%s: no memory", name);
		goto fail;
	}
	*out = list;
	return 0;
fail:
	exit_list__free(list);
	return rc;
}

void exit_list__free(struct exit_list *list)
{
	if (!list)
		return;
	free(list->uses);
	free(list->offsets);
	free(list);
}

size_t exit_list__n(const struct exit_list *list)
{
	return list ? list->n : 0;
}

const __u64 *exit_list__offsets(const struct exit_list *list)
{
	return list->offsets;
}

size_t exit_list__n_uses(const struct exit_list *list)
{
	return list ? list->n_uses : 0;
}

__u64 exit_list__use(const struct exit_list *list, size_t i, size_t *site)
{
	*site = list->uses[i].site;
	return list->uses[i].offset;
}

void exit_list__drop(const struct exit_list *list, struct site_list *sites, size_t exit,
		     const char *why)
{
	for (size_t i = 0; i < list->n_uses; i++)
		if (list->uses[i].offset == list->offsets[exit])
			site_list__at(sites, list->uses[i].site)->untimed = why;
}
