// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"
#include "drain/gone_cgroups.h"

static int compare_ids(const void *left, const void *right)
{
	const struct gone_cgroup *a = left, *b = right;

	return a->id < b->id ? -1 : a->id > b->id;
}

void gone_cgroups__add(struct gone_cgroups *gone, __u64 id)
{
	if (array__grow((void **)&gone->at, &gone->room, gone->n, sizeof(*gone->at)) == 0)
		gone->at[gone->n++] = (struct gone_cgroup){ .id = id };
}

void gone_cgroups__sort(struct gone_cgroups *gone)
{
	size_t left = 0;

	if (!gone->n)
		return;
	qsort(gone->at, gone->n, sizeof(*gone->at), compare_ids);
	for (size_t i = 0; i < gone->n; i++)
		if (!left || gone->at[left - 1].id != gone->at[i].id)
			gone->at[left++] = gone->at[i];
	gone->n = left;
}

struct gone_cgroup *gone_cgroups__find(const struct gone_cgroups *gone, __u64 id)
{
	size_t at = SEARCH_FIRST(gone->n, i, gone->at[i].id < id);

	return at < gone->n && gone->at[at].id == id ? &gone->at[at] : NULL;
}

void gone_cgroups__begin(struct gone_cgroups *gone)
{
	for (size_t i = 0; i < gone->n; i++) {
		gone->at[i].is_busy = false;
		gone->at[i].rested++;
	}
}

void gone_cgroups__drop(struct gone_cgroups *gone, unsigned int rested)
{
	size_t left = 0;

	for (size_t i = 0; i < gone->n; i++)
		if (gone->at[i].rested < rested)
			gone->at[left++] = gone->at[i];
	gone->n = left;
}

void gone_cgroups__free(struct gone_cgroups *gone)
{
	free(gone->at);
	*gone = (struct gone_cgroups){ 0 };
}
