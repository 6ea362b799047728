// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attach/exit_list.h"
#include "base/array.h"
#include "elf/exits.h"
#include "tmtrace/config.h"

/* A site returns by a place. */
struct use {
	__u64 offset, cookie;
	size_t site;
};

struct exit_list {
	struct use *uses; /* by offset */
	size_t n_uses, room;
	__u64 *offsets, *cookies;
	size_t n;
};

static int compare_uses(const void *left, const void *right)
{
	const struct use *a = left, *b = right;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int compare_offsets(const void *left, const void *right)
{
	const __u64 *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static int add_use(struct exit_list *list, size_t site, __u64 offset, __u64 cookie)
{
	if (array__grow((void **)&list->uses, &list->room, list->n_uses, sizeof(*list->uses)) < 0)
		return -ENOMEM;
	list->uses[list->n_uses++] =
		(struct use){ .offset = offset, .cookie = cookie, .site = site };
	return 0;
}

static int add_uses(struct exit_list *list, size_t site, const struct exits_found *found)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < found->n; i++)
		ret = add_use(list, site, found->offsets[i], tm_cookie_place(found->offsets[i]));
	return ret;
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
		site->exits = EXIT_STEPPED;
		if (add_uses(list, i, &found) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* The places of the probes where the functions begin, ascending; NULL: no memory. */
static __u64 *collect_entries(const struct site_list *sites)
{
	size_t n = site_list__n(sites);
	__u64 *entries = calloc(n + 1, sizeof(*entries));

	for (size_t i = 0; entries && i < n; i++) {
		const struct site *site = site_list__at((struct site_list *)sites, i);

		entries[i] = site->offset + site->entry.moved;
	}
	if (entries && n)
		qsort(entries, n, sizeof(*entries), compare_offsets);
	return entries;
}

static enum exit_class join(enum exit_class one, enum exit_class other)
{
	return one == EXIT_UNKNOWN || one == other ? other : EXIT_MIXED;
}

/* Puts the places that stand in for a `ret` in its stead. */
static int replace_uses(struct exit_list *list, struct site_list *sites, const struct exits *exits)
{
	size_t n = list->n_uses, kept = 0;
	struct use *uses = list->uses;
	int ret = 0;

	list->uses = NULL;
	list->n_uses = list->room = 0;
	for (size_t i = 0; !ret && i < n; i++) {
		struct site *site = site_list__at(sites, uses[i].site);
		const struct exits_way *ways = exits__ways(exits, uses[i].offset, &kept);
		bool first = !i || uses[i - 1].site != uses[i].site;

		site->exits = join(first ? EXIT_UNKNOWN : site->exits,
				   kept ? EXIT_EMULATED : EXIT_STEPPED);
		if (!kept)
			ret = add_use(list, uses[i].site, uses[i].offset, uses[i].cookie);
		for (size_t k = 0; !ret && k < kept; k++)
			ret = add_use(list, uses[i].site, ways[k].offset, ways[k].code);
	}
	free(uses);
	return ret;
}

static int choose_places(struct exit_list *list, struct site_list *sites, struct exits *exits)
{
	__u64 *entries = collect_entries(sites);
	int ret = entries ? 0 : -ENOMEM;

	if (!ret)
		ret = exits__choose(exits, entries, site_list__n(sites));
	if (!ret)
		ret = replace_uses(list, sites, exits);
	free(entries);
	return ret;
}

#define NOT_ALONE (~0U)

/* Notes which functions are left by their own code alone, and how far it goes. */
static void measure_own_span(const struct exit_list *list, struct site_list *sites)
{
	for (size_t i = 0; i < list->n_uses; i++) {
		struct site *site = site_list__at(sites, list->uses[i].site);
		__u64 begin = site->offset + site->entry.moved, at = list->uses[i].offset;

		if (site->tail_calls || at < begin || at >= site->offset + site->size)
			site->own_span = NOT_ALONE;
		else if (at - begin >= site->own_span)
			site->own_span = (__u32)(at - begin) + 1;
	}
	for (size_t i = 0; i < site_list__n(sites); i++)
		if (site_list__at(sites, i)->own_span > TM_OWN_SPAN_MAX)
			site_list__at(sites, i)->own_span = 0;
}

/* Each offset once. */
static int collect_offsets(struct exit_list *list)
{
	if (!list->n_uses)
		return 0;
	qsort(list->uses, list->n_uses, sizeof(*list->uses), compare_uses);
	list->offsets = calloc(list->n_uses, sizeof(*list->offsets));
	list->cookies = calloc(list->n_uses, sizeof(*list->cookies));
	if (!list->offsets || !list->cookies)
		return -ENOMEM;
	for (size_t i = 0; i < list->n_uses; i++) {
		if (list->n && list->offsets[list->n - 1] == list->uses[i].offset)
			continue;
		list->offsets[list->n] = list->uses[i].offset;
		list->cookies[list->n++] = list->uses[i].cookie;
	}
	return 0;
}

int exit_list__find(struct exit_list **out, struct site_list *sites, int fd,
		    const struct elf_file *elf, const char *name, bool on_ret, struct error *err)
{
	struct exit_list *list = calloc(1, sizeof(*list));
	struct exits *exits = NULL;
	int ret;

	if (!list)
		return error__set(err, -ENOMEM, "%s: no memory", name);
	ret = exits__open(&exits, fd, elf, name, err);
	if (ret < 0)
		goto fail;
	ret = find_all(list, sites, exits);
	if (!ret && !on_ret)
		ret = choose_places(list, sites, exits);
	if (!ret) {
		measure_own_span(list, sites);
		ret = collect_offsets(list);
	}
	exits__close(exits);
	if (ret < 0) {
		error__set(err, ret, "%s: no memory", name);
		goto fail;
	}
	*out = list;
	return 0;
fail:
	exit_list__free(list);
	return ret;
}

void exit_list__free(struct exit_list *list)
{
	if (!list)
		return;
	free(list->uses);
	free(list->offsets);
	free(list->cookies);
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

const __u64 *exit_list__cookies(const struct exit_list *list)
{
	return list->cookies;
}

size_t exit_list__n_uses(const struct exit_list *list)
{
	return list ? list->n_uses : 0;
}

__u64 exit_list__use(const struct exit_list *list, size_t i, size_t *site, __u64 *cookie)
{
	*site = list->uses[i].site;
	*cookie = list->uses[i].cookie;
	return list->uses[i].offset;
}

void exit_list__drop(const struct exit_list *list, struct site_list *sites, size_t exit,
		     const char *why)
{
	for (size_t i = 0; i < list->n_uses; i++)
		if (list->uses[i].offset == list->offsets[exit])
			site_list__at(sites, list->uses[i].site)->untimed = why;
}
