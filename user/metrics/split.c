// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "metrics/shown.h"
#include "metrics/split.h"

/* So much busier must be which takes another's place. */
#define ADVANTAGE 2

/* A row that may be shown by itself. */
struct candidate {
	const struct metric_row *row;
	const struct metric_row *before; /* as it was shown; NULL: it was not */
	bool is_shown;
};

static __u64 claim_of_row(const struct candidate *candidate)
{
	return metric_counters__weight(&candidate->row->sums.counters) *
	       (candidate->before ? ADVANTAGE : 1);
}

static int by_claim(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (claim_of_row(a) != claim_of_row(b))
		return claim_of_row(a) > claim_of_row(b) ? -1 : 1;
	return metric_key__order(&a->row->key, &b->row->key);
}

static size_t samples_of(const struct metrics_split *split, const struct metric_key *key)
{
	return metrics_shown__samples(split->run, key);
}

/* Samples of one row of others for each kind and layer. */
static size_t samples_of_others(const struct metrics_split *split, const struct metric_rows *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		struct metric_key key = metric_key__other(&all->rows[i].key);

		if (i + 1 == all->n || all->rows[i + 1].key.kind != key.kind ||
		    all->rows[i + 1].key.layer != key.layer)
			n += samples_of(split, &key);
	}
	return n;
}

static bool has_others(const struct metric_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		if (metric_key__is_other(&rows->rows[i].key))
			return true;
	return false;
}

/* Leaves candidates in the order of what they claim. */
static void choose_rows(const struct metrics_split *split, const struct metric_rows *all,
			const struct metric_rows *before, struct candidate *candidates)
{
	size_t needed = 0, left, others = samples_of_others(split, all);

	for (size_t i = 0; i < all->n; i++)
		needed += samples_of(split, &all->rows[i].key);
	if (!has_others(before) && needed <= split->samples) {
		for (size_t i = 0; i < all->n; i++)
			candidates[i].is_shown = true;
		return;
	}
	left = split->samples > others ? split->samples - others : 0;
	qsort(candidates, all->n, sizeof(*candidates), by_claim);
	for (size_t i = 0; i < all->n; i++) {
		needed = samples_of(split, &candidates[i].row->key);
		candidates[i].is_shown = needed <= left;
		left -= needed <= left ? needed : 0;
	}
}

static struct metric_counters *moved_of(struct metric_row *row)
{
	if (!row->moved)
		row->moved = calloc(1, sizeof(*row->moved));
	return row->moved;
}

/* The row's counters get what was moved into or from it before. */
static int take_moved(struct metric_row *row, const struct metric_row *before)
{
	if (!before || !before->moved)
		return 0;
	if (!moved_of(row))
		return -ENOMEM;
	metric_counters__add(row->moved, before->moved);
	metric_counters__add(&row->sums.counters, before->moved);
	return 0;
}

/*
 * What it counted stays with the others: it begins at 0. Not at the same time as jobs do that come
 * out of others now, and may be called the same.
 */
static int move_out(const struct metrics_split *split, struct metric_row *row,
		    struct metric_row *other)
{
	const struct metric_counters counted = row->sums.counters;

	if (!moved_of(row) || !moved_of(other))
		return -ENOMEM;
	metric_counters__subtract(row->moved, &counted);
	metric_counters__subtract(&row->sums.counters, &counted);
	metric_counters__add(other->moved, &counted);
	metric_counters__add(&other->sums.counters, &counted);
	row->since_ns = split->now_ns + NS_PER_MS;
	return 0;
}

static int show_row(const struct metrics_split *split, const struct candidate *candidate,
		    struct metric_rows *out)
{
	const struct metric_key *key = &candidate->row->key, others = metric_key__other(key);
	struct metric_row *row = metric_rows__get(out, key), *other;

	if (!row)
		return -ENOMEM;
	row->sums = candidate->row->sums;
	row->since_ns = candidate->before ? candidate->before->since_ns : split->since_ns;
	if (candidate->before)
		return take_moved(row, candidate->before);
	/* It may have been among the others. */
	other = metric_rows__find(out, &others);
	return other ? move_out(split, row, other) : 0;
}

static struct metric_row *others_row(const struct metrics_split *split, struct metric_rows *out,
				     const struct metric_key *key)
{
	const struct metric_key others = metric_key__other(key);
	struct metric_row *row = metric_rows__get(out, &others);

	if (row && !row->since_ns)
		row->since_ns = split->since_ns > split->restarted_ns ? split->since_ns
								      : split->restarted_ns;
	return row;
}

static int hide_row(const struct metrics_split *split, const struct candidate *candidate,
		    struct metric_rows *out)
{
	struct metric_row *other = others_row(split, out, &candidate->row->key);

	if (!other)
		return -ENOMEM;
	metric_sums__add(&other->sums, &candidate->row->sums);
	return take_moved(other, candidate->before);
}

/* Of a row that is there no more, as a device that has another name: what came out of the others.
 */
static int take_back(const struct metrics_split *split, const struct metric_row *gone,
		     struct metric_rows *out)
{
	struct metric_row *other = gone->moved ? others_row(split, out, &gone->key) : NULL;

	if (!gone->moved)
		return 0;
	return other ? take_moved(other, gone) : -ENOMEM;
}

/* Rows of others that were there stay. */
static int keep_others(const struct metrics_split *split, const struct metric_rows *all,
		       const struct metric_rows *before, struct metric_rows *out)
{
	for (size_t i = 0; i < before->n; i++) {
		const struct metric_row *old = &before->rows[i];
		struct metric_row *row;

		if (!metric_key__is_other(&old->key)) {
			if (!metric_rows__find(all, &old->key) && take_back(split, old, out) < 0)
				return -ENOMEM;
			continue;
		}
		row = others_row(split, out, &old->key);
		if (!row || take_moved(row, old) < 0)
			return -ENOMEM;
		row->since_ns = old->since_ns;
	}
	return 0;
}

int metrics_split__make(const struct metrics_split *split, const struct metric_rows *all,
			const struct metric_rows *before, struct metric_rows *out)
{
	struct candidate *candidates = calloc(all->n + 1, sizeof(*candidates));
	int ret = candidates ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < all->n; i++)
		candidates[i] = (struct candidate){
			.row = &all->rows[i],
			.before = metric_rows__find(before, &all->rows[i].key),
		};
	if (!ret) {
		choose_rows(split, all, before, candidates);
		ret = keep_others(split, all, before, out);
	}
	/* Which come out of the others do so after them. */
	for (size_t i = 0; !ret && i < all->n; i++)
		if (candidates[i].is_shown)
			ret = show_row(split, &candidates[i], out);
	for (size_t i = 0; !ret && i < all->n; i++)
		if (!candidates[i].is_shown)
			ret = hide_row(split, &candidates[i], out);
	free(candidates);
	return ret;
}
