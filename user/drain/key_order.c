// SPDX-License-Identifier: GPL-2.0-only
#include "drain/key_order.h"

static int compare_numbers(__u64 a, __u64 b)
{
	return a < b ? -1 : a > b;
}

int key_order(const struct tm_key *a, const struct tm_key *b)
{
	int order = compare_numbers(a->job, b->job);

	if (!order)
		order = compare_numbers(a->layer, b->layer);
	if (!order)
		order = compare_numbers(a->function, b->function);
	if (!order)
		order = compare_numbers(a->where, b->where);
	if (!order)
		order = compare_numbers(a->flags, b->flags);
	return order ? order : compare_numbers(a->process, b->process);
}
