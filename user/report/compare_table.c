// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "report/compare_table.h"
#include "report/grid.h"
#include "report/row_writer.h"
#include "report/title.h"

static const struct grid_column columns[] = {
	{ .title = "layer", .align = GRID_LEFT },
	{ .title = "function", .align = GRID_LEFT, .least = 16 },
	{ .title = "before", .group = "calls", .drop = 1 },
	{ .title = "after", .group = "calls", .drop = 1 },
	{ .title = "before", .group = "own time per call" },
	{ .title = "after", .group = "own time per call" },
	{ .title = "change" },
	{ .title = "+-", .drop = 3 },
	{ .title = "of calls", .align = GRID_LEFT, .drop = 2 },
	{ .title = "", .align = GRID_LEFT },
};

static const char *const verdicts[] = {
	[COMPARE_SAME] = "",
	[COMPARE_SLOWER] = "slower",
	[COMPARE_SLOWER_BELOW] = "slower, in its system calls",
	[COMPARE_FASTER] = "faster",
	[COMPARE_FASTER_BELOW] = "faster, in its system calls",
	[COMPARE_COMMON] = "as all layers: the machine",
	[COMPARE_SLOWEST] = "only its slowest calls, as where processors are busy",
	[COMPARE_UNSURE] = "too few or too uneven to tell",
	[COMPARE_ONLY_BEFORE] = "only before",
	[COMPARE_ONLY_AFTER] = "only after",
};

static bool has_changed(const struct compare_row *row)
{
	return row->verdict != COMPARE_SAME && row->verdict != COMPARE_UNSURE &&
	       row->verdict != COMPARE_COMMON && row->verdict != COMPARE_SLOWEST;
}

/* "+30 %", "3.1 x" from twice as slow on; "" where there are not both. */
static void write_change(char out[UNITS_ROOM], const struct compare_row *row)
{
	out[0] = '\0';
	if (row->verdict == COMPARE_ONLY_BEFORE || row->verdict == COMPARE_ONLY_AFTER ||
	    !isfinite(row->ratio) || row->ratio <= 0)
		return;
	if (row->ratio >= 2)
		snprintf(out, UNITS_ROOM, "%.1f x", row->ratio);
	else
		snprintf(out, UNITS_ROOM, "%+.0f %%", 100 * (row->ratio - 1));
}

static void write_within(char out[UNITS_ROOM], const struct compare_row *row)
{
	out[0] = '\0';
	if (isfinite(row->within) && row->within >= 1 && row->within < 10 && row->ratio > 0)
		snprintf(out, UNITS_ROOM, "%.0f %%", 100 * (row->within - 1));
}

static int put_row(struct grid *grid, const struct compare_row *row)
{
	struct row_writer writer = row_writer__begin(grid);
	char text[UNITS_ROOM];

	row_writer__text(&writer, row->function ? "" : row->layer);
	row_writer__text(&writer, row->function);
	for (int side = 0; side < COMPARE_SIDES; side++)
		row_writer__count(&writer, row->calls[side]);
	for (int side = 0; side < COMPARE_SIDES; side++) {
		bool known =
			row->calls[side] && isfinite(row->mean_ns[side]) && row->mean_ns[side] >= 0;

		row_writer__time(&writer, known ? (__u64)(row->mean_ns[side] + 0.5) : 0, known);
	}
	write_change(text, row);
	row_writer__text(&writer, text);
	write_within(text, row);
	row_writer__text(&writer, text);
	row_writer__text(&writer, !*text ? NULL : row->typical ? "fastest 95 %" : "all");
	row_writer__text(&writer, verdicts[row->verdict]);
	return writer.ret;
}

/* A line for each layer that has changed. */
static void print_summary(const struct table_options *options, const struct compare_row *rows,
			  size_t n)
{
	char change[UNITS_ROOM];
	bool none = true, unsure = false, common = false;

	fputc('\n', options->out);
	for (size_t i = 0; i < n; i++) {
		if (rows[i].function)
			continue;
		unsure |= rows[i].verdict == COMPARE_UNSURE;
		common |= rows[i].verdict == COMPARE_COMMON;
		if (!has_changed(&rows[i]))
			continue;
		none = false;
		write_change(change, &rows[i]);
		title__begin(options);
		fprintf(options->out, "changed: ");
		title__text(options->out, rows[i].layer);
		title__end(options);
		fprintf(options->out, ": %s%s%s\n", verdicts[rows[i].verdict], *change ? ", " : "",
			change);
	}
	if (!n)
		fprintf(options->out, "nothing to compare: there are no calls in either run\n");
	else if (none && common)
		fprintf(options->out,
			"no layer has changed by more than all of them have, as where "
			"the machine has another clock\n");
	else if (none)
		fprintf(options->out, "no layer has %s by more than %.0f %% and noise\n",
			unsure ? "surely changed" : "changed", 100 * (COMPARE_LEAST - 1));
}

int compare_table__print(const struct table_options *options, const struct compare_row *rows,
			 size_t n, struct error *err)
{
	struct grid *grid = grid__new(columns, sizeof(columns) / sizeof(*columns));
	int ret = grid ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !ret; i++) {
		if (!rows[i].function || has_changed(&rows[i]))
			ret = put_row(grid, &rows[i]);
	}
	if (!ret)
		print_summary(options, rows, n);
	if (!ret && n) {
		fputc('\n', options->out);
		ret = grid__print(grid, options->out, options->width);
	}
	grid__free(grid);
	if (ret)
		return error__set(err, ret, "printing the comparison: %s", strerror(-ret));
	return table__flush(options->out, err);
}
