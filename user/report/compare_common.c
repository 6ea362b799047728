// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdlib.h>

#include "report/compare_common.h"

/* Factors: what is surely no more is no change; and processors
 * clocks do not change by more. */
#define LITTLE 1.05
#define CLOCK  2.0

/* Layers that are looked at; more say nothing new. */
#define LAYERS_MAX 64

/* Logarithms of a layer's change, and of how far it may be off. */
struct change {
	double ratio, within;
};

static int compare_changes(const void *left, const void *right)
{
	const struct change *a = left, *b = right;

	return (a->ratio > b->ratio) - (a->ratio < b->ratio);
}

/* The changes of the layers that take a processor, as far as they are known, in order. */
static size_t collect_changes(const struct compare_row *rows, size_t n, struct change *changes)
{
	size_t found = 0;

	for (size_t i = 0; i < n && found < LAYERS_MAX; i++) {
		const struct compare_row *row = &rows[i];

		if (row->function || !row->takes_processor || !isfinite(row->within) ||
		    !(row->ratio > 0))
			continue;
		changes[found] = (struct change){ log(row->ratio), log(row->within) };
		/* The clock of slower system calls is that of the code around them. */
		if (row->verdict == COMPARE_SLOWER_BELOW || row->verdict == COMPARE_FASTER_BELOW)
			changes[found].ratio = row->code_ratio > 0 ? log(row->code_ratio) : 0;
		found++;
	}
	qsort(changes, found, sizeof(*changes), compare_changes);
	return found;
}

static bool is_change(enum compare_verdict verdict)
{
	return verdict == COMPARE_SLOWER || verdict == COMPARE_SLOWER_BELOW ||
	       verdict == COMPARE_FASTER || verdict == COMPARE_FASTER_BELOW;
}

/* Is it surely a change in the same direction beside what a processor's clock may have done? */
static bool stands_out(const struct compare_row *row, const struct change *common)
{
	double clock = fmin(fmax(common->ratio, -log(CLOCK)), log(CLOCK));
	double ratio = log(row->ratio), beside = ratio - clock;

	return ratio * beside > 0 &&
	       fabs(beside) - hypot(log(row->within), common->within) > log(COMPARE_LEAST);
}

void compare_common__take_out(struct compare_row *rows, size_t n)
{
	struct change changes[LAYERS_MAX] = { { 0 } };
	size_t found = collect_changes(rows, n, changes);
	const struct change *least, *middle;

	/* One alone has nothing beside it. */
	if (found < 2 || changes[0].ratio * changes[found - 1].ratio <= 0)
		return;
	least = changes[0].ratio > 0 ? &changes[0] : &changes[found - 1];
	/* Of two, the smaller change: which of them is the machine's cannot be told otherwise. */
	middle = found > 2 ? &changes[found / 2] : least;
	for (size_t i = 0; i < found; i++)
		if (fabs(changes[i].ratio) - changes[i].within < log(LITTLE))
			return;
	for (size_t i = 0; i < n; i++)
		if (rows[i].takes_processor && is_change(rows[i].verdict) &&
		    !(stands_out(&rows[i], least) && stands_out(&rows[i], middle)))
			rows[i].verdict = COMPARE_COMMON;
}
