// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "drain/key_order.h"
#include "drain/merge.h"
#include "drain/roll_up.h"

struct part {
	struct tm_key key;
	const struct snapshot_series *series, *before;
	size_t number; /* the order in which they came */
};

struct roll_up {
	struct part *parts;
	size_t n;
	const struct snapshot_series **series, **before; /* the sums */
	struct snapshot_series **made;			 /* that are its own */
	size_t n_made;
};

struct roll_up *roll_up__new(size_t room)
{
	struct roll_up *roll_up = calloc(1, sizeof(*roll_up));

	if (!roll_up)
		return NULL;
	roll_up->parts = calloc(room + 1, sizeof(*roll_up->parts));
	roll_up->series = calloc(room + 1, sizeof(*roll_up->series));
	roll_up->before = calloc(room + 1, sizeof(*roll_up->before));
	roll_up->made = calloc(2 * room + 1, sizeof(*roll_up->made));
	if (roll_up->parts && roll_up->series && roll_up->before && roll_up->made)
		return roll_up;
	roll_up__free(roll_up);
	return NULL;
}

void roll_up__free(struct roll_up *roll_up)
{
	if (!roll_up)
		return;
	for (size_t i = 0; i < roll_up->n_made; i++)
		free(roll_up->made[i]);
	free(roll_up->parts);
	free((void *)roll_up->series);
	free((void *)roll_up->before);
	free(roll_up->made);
	free(roll_up);
}

void roll_up__add(struct roll_up *roll_up, const struct tm_key *key,
		  const struct snapshot_series *series, const struct snapshot_series *before)
{
	roll_up->parts[roll_up->n] = (struct part){ *key, series, before, roll_up->n };
	roll_up->n++;
}

static int compare_parts(const void *left, const void *right)
{
	const struct part *a = left, *b = right;
	int order = key_order(&a->key, &b->key);

	return order ? order : (a->number > b->number) - (a->number < b->number);
}

/* The sum of n parts, or of what they were before; NULL: there is none, or no memory (*ret). */
static struct snapshot_series *sum_up(struct roll_up *roll_up, const struct part *parts, size_t n,
				      bool before, int *ret)
{
	struct snapshot_series *sum;
	struct merge merge;
	bool any = false;

	merge__start(&merge, &parts->key);
	for (size_t i = 0; i < n; i++) {
		const struct snapshot_series *one = before ? parts[i].before : parts[i].series;

		if (one)
			merge__add_series(&merge, one);
		any |= one != NULL;
	}
	sum = any ? merge__finish(&merge) : NULL;
	if (sum)
		roll_up->made[roll_up->n_made++] = sum;
	else if (any)
		*ret = -ENOMEM;
	return sum;
}

static bool has_changed(const struct part *parts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (parts[i].series != parts[i].before)
			return true;
	return false;
}

int roll_up__finish(struct roll_up *roll_up, bool keep_single, struct snapshot *snapshot)
{
	size_t n = 0, end;
	int ret = 0;

	qsort(roll_up->parts, roll_up->n, sizeof(*roll_up->parts), compare_parts);
	for (size_t first = 0; first < roll_up->n && !ret; first = end, n++) {
		const struct part *part = &roll_up->parts[first];

		for (end = first + 1; end < roll_up->n; end++)
			if (key_order(&part->key, &roll_up->parts[end].key) != 0)
				break;
		if (keep_single && end == first + 1) {
			roll_up->series[n] = part->series;
			roll_up->before[n] = part->before;
			continue;
		}
		roll_up->series[n] = sum_up(roll_up, part, end - first, false, &ret);
		roll_up->before[n] = has_changed(part, end - first)
					     ? sum_up(roll_up, part, end - first, true, &ret)
					     : roll_up->series[n];
	}
	snapshot->n_series = n;
	snapshot->series = roll_up->series;
	snapshot->before = roll_up->before;
	return ret;
}

int roll_up__processes(struct roll_up **out, const struct snapshot *in, struct snapshot *snapshot)
{
	*snapshot = *in;
	*out = roll_up__new(in->n_series);
	if (!*out)
		return -ENOMEM;
	for (size_t i = 0; i < in->n_series; i++) {
		struct tm_key key = in->series[i]->total.key;

		key.process = 0;
		roll_up__add(*out, &key, in->series[i], in->before[i]);
	}
	return roll_up__finish(*out, true, snapshot);
}
