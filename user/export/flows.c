// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"
#include "export/flows.h"

struct flow {
	__u64 from, to;
	bool found; /* its begin */
};

struct flows {
	struct flow *at; /* sorted by from, to */
	size_t n, room;
	__u64 first;
};

struct flows *flows__new(__u64 first)
{
	struct flows *flows = calloc(1, sizeof(*flows));

	if (flows)
		flows->first = first;
	return flows;
}

void flows__free(struct flows *flows)
{
	if (flows)
		free(flows->at);
	free(flows);
}

int flows__add(struct flows *flows, __u64 from, __u64 to)
{
	if (array__grow((void **)&flows->at, &flows->room, flows->n, sizeof(*flows->at)) < 0)
		return -ENOMEM;
	flows->at[flows->n++] = (struct flow){ .from = from, .to = to };
	return 0;
}

static int compare_flows(const void *left, const void *right)
{
	const struct flow *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

void flows__sort(struct flows *flows)
{
	size_t n = 0;

	if (!flows->n)
		return;
	qsort(flows->at, flows->n, sizeof(*flows->at), compare_flows);
	for (size_t i = 1; i < flows->n; i++)
		if (compare_flows(&flows->at[n], &flows->at[i]) != 0)
			flows->at[++n] = flows->at[i];
	flows->n = n + 1;
}

/* Where those are that begin there; n: there are none. */
static size_t find_flow(const struct flows *flows, __u64 from)
{
	size_t first = SEARCH_FIRST(flows->n, i, flows->at[i].from < from);

	return first < flows->n && flows->at[first].from == from ? first : flows->n;
}

void flows__found(struct flows *flows, __u64 from)
{
	size_t i = find_flow(flows, from);

	for (; i < flows->n && flows->at[i].from == from; i++)
		flows->at[i].found = true;
}

size_t flows__begin(const struct flows *flows, __u64 from, __u64 *number)
{
	size_t first = find_flow(flows, from), i = first;

	while (i < flows->n && flows->at[i].from == from && flows->at[i].found)
		i++;
	*number = flows->first + first;
	return i - first;
}

__u64 flows__number(const struct flows *flows, __u64 from, __u64 to)
{
	const struct flow wanted = { .from = from, .to = to };
	const struct flow *found = NULL;

	if (flows->n)
		found = bsearch(&wanted, flows->at, flows->n, sizeof(wanted), compare_flows);
	return found && found->found ? flows->first + (__u64)(found - flows->at) : 0;
}

__u64 flows__next(const struct flows *flows)
{
	return flows->first + flows->n;
}
