// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "top/detail.h"
#include "top/header.h"
#include "top/layout.h"
#include "top/trend.h"

/* A terminal of fewer lines has none that says which keys there are. */
#define HINT_HEIGHT 12
/* Of all columns but the name, with what UTF-8 takes. */
#define CELLS_ROOM 512
/* A name has so many cells before trends get more than they need. */
#define NAME_ENOUGH 40

/* The table of rows: those that are seen, with their trends. */
struct table {
	struct top_table top;
	bool shown[TOP_COLUMNS];
	unsigned int name_width;
	size_t first, n;
	double *trends; /* NULL: there are none */
	unsigned int cells;
};

static bool has_hint(const struct top_page *page)
{
	return page->height >= HINT_HEIGHT;
}

size_t top_layout__room(const struct top_page *page)
{
	size_t others = top_header__lines(page) + 1 + has_hint(page);

	if (!page->height)
		return 0;
	return page->height > others ? page->height - others : 1;
}

static unsigned int width_of(const struct table *table, enum top_column column)
{
	return column == TOP_COLUMN_TREND ? table->cells : top_column__width(column);
}

static bool is_left(enum top_column column)
{
	return column == TOP_COLUMN_WHERE || column == TOP_COLUMN_TREND ||
	       column == TOP_COLUMN_NAME;
}

static void write_heading(struct top_writer *writer, const struct top_page *page,
			  const struct table *table)
{
	const struct top_control *control = page->control;
	char text[CELLS_ROOM] = "", span[TOP_SPAN_ROOM], title[TOP_SPAN_ROOM + 8];
	unsigned int used = 0, mark = 0, length = 0;
	struct top_line *line;

	for (enum top_column i = 0; i < TOP_COLUMNS; i++) {
		unsigned int width = width_of(table, i);

		if (!table->shown[i])
			continue;
		snprintf(title, sizeof(title), "%s", top_column__title(i, &control->view));
		if (i == TOP_COLUMN_TREND)
			snprintf(title, sizeof(title), "LAST %s",
				 top_page__span_text(span, top_page__span(page)));
		if (i == control->place.sort) {
			mark = used;
			length = i == TOP_COLUMN_NAME ? (unsigned int)strlen(title) : width;
		}
		if (i == TOP_COLUMN_NAME)
			width = 0;
		used += (unsigned int)snprintf(text + used, sizeof(text) - used,
					       is_left(i) ? "%-*s " : "%*s ", (int)width, title);
	}
	text[used - 1] = '\0';
	if (top_writer__is_full(writer))
		return;
	line = top_writer__add(writer, strdup(text), TOP_HEADING);
	if (line) {
		line->mark = mark;
		line->mark_length = length;
	}
}

/* Before the name of a row of which something is estimated. */
#define ABOUT "~ "

/* Names of jobs share their begin, those of functions have it. */
static char *fit_name(const struct top_writer *writer, const struct top_page *page,
		      const struct top_row *row, unsigned int width)
{
	const char *name = row->name;

	if (row->about && width > strlen(ABOUT))
		width -= (unsigned int)strlen(ABOUT);
	if (page->control->view.level == TOP_LEVEL_JOBS)
		return top_writer__fit_end(writer, name, width);
	return top_writer__fit_begin(writer, name, width);
}

/* All cells but the name. */
static void fill_cells(char text[CELLS_ROOM], struct top_line *marks,
		       const struct top_writer *writer, const struct table *table, size_t i,
		       const struct top_row *row)
{
	char cell[TOP_TREND_ROOM(TOP_TREND_INTERVALS)];
	unsigned int used = 0;

	for (enum top_column column = 0; column < TOP_COLUMN_NAME; column++) {
		int width = (int)width_of(table, column);

		if (!table->shown[column])
			continue;
		if (column == TOP_COLUMN_TREND) {
			top_trend__text(cell, &table->trends[(i - table->first) * table->cells],
					table->cells, writer->wide);
			width = 0; /* it is as wide as it must be */
			marks->trend = used;
			marks->trend_length = table->cells;
		} else {
			top_column__text(cell, column, &table->top, row);
		}
		if (column == TOP_COLUMN_WHERE) {
			marks->mark = used;
			marks->mark_length = (unsigned int)strlen(cell);
		}
		used += (unsigned int)snprintf(text + used, CELLS_ROOM - used,
					       is_left(column) ? "%-*s " : "%*s ", width, cell);
	}
}

static void write_row(struct top_writer *writer, const struct top_page *page,
		      const struct table *table, size_t i)
{
	const struct top_row *row = &page->rows->rows[i];
	bool selected = page->height && i == page->control->place.at;
	char text[CELLS_ROOM] = "", *name, *whole;
	struct top_line marks = { 0 }, *line;

	fill_cells(text, &marks, writer, table, i, row);
	name = fit_name(writer, page, row, table->name_width);
	if (!name || asprintf(&whole, "%s%s%s", text, row->about ? ABOUT : "", name) < 0)
		whole = NULL;
	free(name);
	line = top_writer__add(writer, whole, selected ? TOP_SELECTED : TOP_ROW);
	if (line) {
		marks.text = line->text;
		marks.style = line->style;
		*line = marks;
	}
}

static int collect_trends(struct table *table, const struct top_page *page)
{
	const struct top_trend trend = { .history = page->history,
					 .view = &page->control->view,
					 .column = page->control->place.sort,
					 .seconds = top_page__span(page),
					 .cells = table->cells };
	struct top_rows scratch = { 0 };
	int ret;

	table->trends = calloc(table->n * table->cells + 1, sizeof(*table->trends));
	if (!table->trends)
		return -ENOMEM;
	if (!page->history)
		return 0;
	ret = top_trend__collect(table->trends, &trend, &page->rows->rows[table->first], table->n,
				 &scratch);
	top_rows__free(&scratch);
	return ret;
}

/* On a wide terminal: to what divides the time, so that all cells are of as many intervals. */
static void widen_trends(struct table *table)
{
	static const unsigned int cells[] = { TOP_TREND_INTERVALS / 2, TOP_TREND_INTERVALS / 3,
					      TOP_TREND_INTERVALS / 5 };

	for (size_t i = 0; i < sizeof(cells) / sizeof(*cells); i++) {
		unsigned int more = cells[i] - table->cells;

		if (table->name_width < NAME_ENOUGH + more)
			continue;
		table->cells = cells[i];
		table->name_width -= more;
		return;
	}
}

/* Which rows and columns there is room for. */
static int open_table(struct table *table, const struct top_page *page)
{
	const struct top_control *control = page->control;
	size_t room = top_layout__room(page), behind;

	*table = (struct table){
		.top = { &control->view, &page->rows->sum, top_page__seconds(page) },
		.first = control->place.first,
		.cells = top_column__width(TOP_COLUMN_TREND),
	};
	behind = table->first < page->rows->n ? page->rows->n - table->first : 0;
	table->n = room && behind > room ? room : behind;
	table->name_width = top_columns__choose(table->shown, &control->view, page->width);
	widen_trends(table);
	return table->shown[TOP_COLUMN_TREND] && table->n ? collect_trends(table, page) : 0;
}

static void write_table(struct top_writer *writer, const struct top_page *page)
{
	struct table table;
	int ret = open_table(&table, page);

	write_heading(writer, page, &table);
	for (size_t i = 0; i < table.n && !ret && !top_writer__is_full(writer); i++)
		write_row(writer, page, &table, table.first + i);
	if (!page->rows->n && page->height && page->seconds > 0)
		top_writer__line(writer, TOP_TEXT, "nothing came in this time");
	free(table.trends);
	if (ret < 0)
		writer->ret = ret;
}

/* The keys that lead on from here. */
static void write_hint(struct top_writer *writer, const struct top_page *page)
{
	const struct top_control *control = page->control;
	char text[128];

	if (!has_hint(page))
		return;
	snprintf(text, sizeof(text), "%s%s%s  h help  q end",
		 control->frozen_ns ? "[ ] back and forth  f go on" : "f freeze",
		 control->view.level < TOP_LEVEL_FUNCTION ? "  Enter open" : "",
		 control->view.level > TOP_LEVEL_JOBS ? "  Esc up" : "");
	top_writer__last(writer, TOP_HINT, text);
}

bool top_layout__is_too_small(struct top_writer *writer)
{
	if ((!writer->width || writer->width >= TOP_WIDTH_LEAST) &&
	    (!writer->height || writer->height >= TOP_HEIGHT_LEAST))
		return false;
	top_writer__line(writer, TOP_TEXT, "%u x %u is too small: %u x %u at least", writer->width,
			 writer->height, TOP_WIDTH_LEAST, TOP_HEIGHT_LEAST);
	return true;
}

int top_layout__page(struct top_frame *frame, const struct top_page *page)
{
	struct top_writer writer;

	top_writer__begin(&writer, frame, page->width, page->height, page->wide);
	if (top_layout__is_too_small(&writer))
		return writer.ret;
	top_header__write(&writer, page);
	if (page->control->view.level == TOP_LEVEL_FUNCTION)
		top_detail__write(&writer, page, top_layout__room(page) + 1);
	else
		write_table(&writer, page);
	write_hint(&writer, page);
	return writer.ret;
}
