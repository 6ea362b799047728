// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "drain/key_order.h"
#include "drain/merge.h"
#include "report/fold.h"

struct fold {
	struct snapshot snapshot;
	struct snapshot_series **made; /* that are its own */
	size_t n_made;
};

/* The order of snapshots has those side by side that differ in their process alone. */
static size_t end_of_group(const struct snapshot *in, size_t first)
{
	struct tm_key key = in->series[first]->total.key;
	size_t end = first + 1;

	for (; end < in->n_series; end++) {
		key.process = in->series[end]->total.key.process;
		if (key_order(&key, &in->series[end]->total.key) != 0)
			break;
	}
	return end;
}

/* The sum of series first to end - 1, of those that are there; NULL: none is, or no memory. */
static struct snapshot_series *add_up(struct fold *fold,
				      const struct snapshot_series *const *series, size_t first,
				      size_t end)
{
	struct snapshot_series *sum;
	struct merge merge;
	size_t n = 0;

	for (size_t i = first; i < end; i++) {
		__u64 latency[TM_BUCKETS] = { 0 }, size[TM_BUCKETS] = { 0 };

		if (!series[i])
			continue;
		if (!n++)
			merge__start(&merge, &series[i]->total.key);
		histogram__add(latency, &series[i]->latency);
		histogram__add(size, &series[i]->size);
		merge__add(&merge, &series[i]->total, latency, size);
	}
	if (!n)
		return NULL;
	merge.total.key.process = 0;
	sum = merge__finish(&merge);
	if (sum)
		fold->made[fold->n_made++] = sum;
	return sum;
}

static bool same(const struct snapshot *in, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		if (in->series[i] != in->before[i])
			return false;
	return true;
}

static bool any(const struct snapshot_series *const *series, size_t first, size_t end)
{
	while (first < end && !series[first])
		first++;
	return first < end;
}

static int add_group(struct fold *fold, const struct snapshot *in, size_t first, size_t end)
{
	struct snapshot *out = &fold->snapshot;
	size_t i = out->n_series++;

	if (end == first + 1) {
		out->series[i] = in->series[first];
		out->before[i] = in->before[first];
		return 0;
	}
	out->series[i] = add_up(fold, in->series, first, end);
	if (same(in, first, end))
		out->before[i] = out->series[i];
	else if (any(in->before, first, end))
		out->before[i] = add_up(fold, in->before, first, end);
	return out->series[i] && (out->before[i] || !any(in->before, first, end)) ? 0 : -ENOMEM;
}

int fold__new(struct fold **out, const struct snapshot *in)
{
	struct fold *fold = calloc(1, sizeof(*fold));
	size_t room = in->n_series + 1, end;
	int ret = 0;

	if (!fold)
		return -ENOMEM;
	fold->snapshot = *in;
	fold->snapshot.n_series = 0;
	fold->snapshot.series = calloc(room, sizeof(*fold->snapshot.series));
	fold->snapshot.before = calloc(room, sizeof(*fold->snapshot.before));
	fold->made = calloc(2 * room, sizeof(*fold->made));
	if (!fold->snapshot.series || !fold->snapshot.before || !fold->made)
		ret = -ENOMEM;
	for (size_t first = 0; first < in->n_series && !ret; first = end) {
		end = end_of_group(in, first);
		ret = add_group(fold, in, first, end);
	}
	if (ret) {
		fold__free(fold);
		return ret;
	}
	*out = fold;
	return 0;
}

void fold__free(struct fold *fold)
{
	if (!fold)
		return;
	for (size_t i = 0; fold->made && i < fold->n_made; i++)
		free(fold->made[i]);
	free(fold->made);
	free((void *)fold->snapshot.series);
	free((void *)fold->snapshot.before);
	free(fold);
}

const struct snapshot *fold__snapshot(const struct fold *fold)
{
	return &fold->snapshot;
}
