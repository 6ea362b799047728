// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "addb/text.h"
#include "report/grid.h"
#include "report/table_addb.h"
#include "report/units.h"

enum { NAME, FOM, WHAT, COUNT, TOTAL, AVERAGE, P50, P99, MAX, COLUMNS };

static const struct grid_column state_columns[COLUMNS] = {
	[NAME] = { .title = "record", .align = GRID_LEFT },
	[FOM] = { .title = "fom", .align = GRID_LEFT, .least = 8 },
	[WHAT] = { .title = "state", .align = GRID_LEFT, .least = 8 },
	[COUNT] = { .title = "count" },
	[TOTAL] = { .title = "total" },
	[AVERAGE] = { .title = "avg" },
	[P50] = { .title = "p50", .drop = 1 },
	[P99] = { .title = "p99", .drop = 2 },
	[MAX] = { .title = "max" },
};

static const struct grid_column value_columns[COLUMNS] = {
	[NAME] = { .title = "record", .align = GRID_LEFT },
	[FOM] = { .title = "fom" }, /* of none: left out */
	[WHAT] = { .title = "field", .align = GRID_LEFT },
	[COUNT] = { .title = "count" },
	[TOTAL] = { .title = "total" },
	[AVERAGE] = { .title = "avg" },
	[P50] = { .title = "p50", .drop = 1 },
	[P99] = { .title = "p99", .drop = 2 },
	[MAX] = { .title = "max" },
};

/* Adds the next sum to one of the same thing, of another job. */
static void merge(struct addb_sum *into, const struct addb_sum *from)
{
	into->sum.count += from->sum.count;
	into->sum.total += from->sum.total;
	if (from->sum.floor > into->sum.floor)
		into->sum.floor = from->sum.floor;
	if (from->sum.max > into->sum.max)
		into->sum.max = from->sum.max;
	for (int i = 0; i < TM_BUCKETS; i++)
		into->sum.buckets[i] += from->sum.buckets[i];
}

static int put_number(struct grid *grid, size_t column, const struct addb_sum *sum, __u64 number)
{
	char text[UNITS_ROOM];

	return grid__set(grid, column,
			 addb_sum__is_time(sum) ? units__time(text, number)
						: units__count(text, number));
}

static int put_row(struct grid *grid, const struct addb_sum *sum)
{
	const struct tm_addb_sum *s = &sum->sum;
	char text[256], count[UNITS_ROOM];
	const char *fom;
	int rc = grid__row(grid);

	if (!rc)
		rc = grid__set(grid, NAME, addb_text__name(sum->key.id, text, sizeof(text)));
	fom = addb_sum__fom(sum, text, sizeof(text));
	if (!rc && fom)
		rc = grid__set(grid, FOM, fom);
	if (!rc)
		rc = grid__set(grid, WHAT, addb_sum__what(sum, text, sizeof(text)));
	if (!rc)
		rc = grid__set(grid, COUNT, units__count(count, s->count));
	if (!rc)
		rc = put_number(grid, TOTAL, sum, s->total);
	if (!rc)
		rc = put_number(grid, AVERAGE, sum, s->count ? s->total / s->count : 0);
	if (!rc)
		rc = put_number(grid, P50, sum, addb_sum__quantile(sum, 500));
	if (!rc)
		rc = put_number(grid, P99, sum, addb_sum__quantile(sum, 990));
	return rc ? rc : put_number(grid, MAX, sum, s->max);
}

static bool same(const struct addb_sum *a, const struct addb_sum *b)
{
	return a->key.id == b->key.id && a->key.fom == b->key.fom && a->key.what == b->key.what;
}

/* Those of states, or the others. */
static int print(FILE *out, unsigned int width, const struct addb_sum *sums, size_t n, bool states)
{
	struct grid *grid = grid__new(states ? state_columns : value_columns, COLUMNS);
	struct addb_sum sum;
	size_t rows = 0;
	int rc = grid ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !rc; i++) {
		if (addb_sum__is_state(&sums[i]) != states)
			continue;
		sum = sums[i];
		while (i + 1 < n && same(&sums[i + 1], &sum))
			merge(&sum, &sums[++i]);
		rc = put_row(grid, &sum);
		rows++;
	}
	if (!rc && rows) {
		fprintf(out, "\n%s\n\n",
			states ? "addb: time in states" : "addb: sizes and times in records");
		rc = grid__print(grid, out, width);
	}
	grid__free(grid);
	return rc;
}

int table_addb__print(FILE *out, unsigned int width, const struct addb_sum *sums, size_t n)
{
	int rc = print(out, width, sums, n, true);

	return rc ? rc : print(out, width, sums, n, false);
}
