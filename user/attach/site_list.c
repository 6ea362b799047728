// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "attach/site_list.h"
#include "base/array.h"
#include "base/hash.h"
#include "tmtrace/config.h"

/* Open addressing: offset -> index + 1 of the site; always a power of two, at most half full. */
struct site_list {
	struct site *sites;
	size_t n, room;
	size_t *table;
	size_t table_size;
};

int site_list__new(struct site_list **out)
{
	*out = calloc(1, sizeof(**out));
	return *out ? 0 : -ENOMEM;
}

void site_list__free(struct site_list *list)
{
	if (!list)
		return;
	free(list->sites);
	free(list->table);
	free(list);
}

/* Where an offset is in the table, or would go. */
static size_t *find_site(const struct site_list *list, __u64 offset)
{
	size_t i = hash__number(offset) >> 32;

	for (;; i++) {
		size_t *place = &list->table[i & (list->table_size - 1)];

		if (!*place || list->sites[*place - 1].offset == offset)
			return place;
	}
}

static int grow_table(struct site_list *list)
{
	size_t size = list->table_size ? list->table_size * 2 : 256, i;
	size_t *table;

	if (list->n * 2 < list->table_size)
		return 0;
	table = calloc(size, sizeof(*table));
	if (!table)
		return -ENOMEM;
	free(list->table);
	list->table = table;
	list->table_size = size;
	for (i = 0; i < list->n; i++)
		*find_site(list, list->sites[i].offset) = i + 1;
	return 0;
}

int site_list__add(struct site_list *list, const struct elf_function *symbol,
		   const struct catalogue_function *function, __u8 layer, const char *untimed)
{
	struct site *site;
	__u64 size = symbol->size;
	size_t *place;

	if (array__grow((void **)&list->sites, &list->room, list->n, sizeof(*list->sites)) < 0 ||
	    grow_table(list) < 0)
		return -ENOMEM;
	place = find_site(list, symbol->offset);
	if (*place) {
		site = &list->sites[*place - 1];
		if (symbol->size && (!site->size || symbol->size < site->size))
			site->size = symbol->size;
		if (!site->pattern || function->pattern)
			return 0;
		size = site->size;
	} else {
		site = &list->sites[list->n++];
		*place = list->n;
	}
	*site = (struct site){
		.symbol = symbol->name,
		.offset = symbol->offset,
		.size = size,
		.layer = layer,
		.pattern = function->pattern,
		.untimed = untimed,
		.spec = function->spec,
	};
	return 0;
}

__u64 site__cookie(const struct site *site)
{
	__u64 cookie = (__u64)(site->number - TM_PROBE_USER) | (__u64)site->generation
								       << TM_COOKIE_BITS;

	if (site->entry.endbr && !site->entry.moved)
		cookie |= TM_COOKIE_ENDBR | tm_cookie_place(site->offset);
	return cookie;
}

/* In a file that nobody maps yet the kernel's refusal would come later, and silently. */
static const char *why_refused(const struct entry_site *entry, const struct site_choice *choice)
{
	if (entry->site == ENTRY_REFUSED && entry->restarts)
		return "it begins again where its stack is too small, and would be counted twice";
	if (entry->site == ENTRY_REFUSED)
		return "its first instruction takes no probe: the kernel refuses it, or runs it "
		       "wrongly under one";
	if (entry->site == ENTRY_NOP5 && choice->nop5_unsafe)
		return "a probe on its first instruction, a nop of five bytes, does harm on "
		       "this kernel: tmtrace selftest";
	return NULL;
}

int site_list__find_entries(struct site_list *list, int fd, const char *name,
			    const struct elf_file *elf, const struct site_choice *choice,
			    struct error *err)
{
	struct entry_function *functions = calloc(list->n + 1, sizeof(*functions));
	size_t i;
	int ret;

	if (!functions)
		return error__set(err, -ENOMEM, "%s: no memory", name);
	for (i = 0; i < list->n; i++) {
		functions[i].offset = list->sites[i].offset;
		functions[i].size = list->sites[i].size;
	}
	ret = entry_file__find(fd, name, elf, functions, list->n, choice->nop5_unsafe, err);
	for (i = 0; i < list->n; i++) {
		if (choice->first && functions[i].entry.moved &&
		    functions[i].entry.first != ENTRY_REFUSED)
			entry__stay(&functions[i].entry, ENTRY_BAR_CHOICE);
		list->sites[i].entry = functions[i].entry;
		list->sites[i].refused = why_refused(&functions[i].entry, choice);
	}
	free(functions);
	return ret;
}

size_t site_list__n(const struct site_list *list)
{
	return list->n;
}

struct site *site_list__at(const struct site_list *list, size_t i)
{
	return &list->sites[i];
}
