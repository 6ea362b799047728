// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"
#include "report/grid.h"

#define ELLIPSIS "\xe2\x80\xa6"

/* Lines that are not limited are kept near this where it costs nothing. */
#define WIDTH_OF_FILES 100

/* A line below a row. */
struct below {
	size_t end; /* of the row's cells */
	char *text;
};

struct grid {
	const struct grid_column *columns;
	size_t n_columns;
	char **cells; /* rows after rows; NULL: empty */
	size_t n_cells, room;
	struct below *below;
	size_t n_below, room_below;
};

/* How a grid is shown once: the width of each column, 0: left out. */
struct layout {
	const struct grid *grid;
	unsigned int gap; /* between columns */
	unsigned int *widths;
};

struct grid *grid__new(const struct grid_column *columns, size_t n)
{
	struct grid *grid = calloc(1, sizeof(*grid));

	if (!grid)
		return NULL;
	grid->columns = columns;
	grid->n_columns = n;
	return grid;
}

void grid__free(struct grid *grid)
{
	if (!grid)
		return;
	for (size_t i = 0; i < grid->n_cells; i++)
		free(grid->cells[i]);
	for (size_t i = 0; i < grid->n_below; i++)
		free(grid->below[i].text);
	free((void *)grid->cells);
	free(grid->below);
	free(grid);
}

int grid__row(struct grid *grid)
{
	for (size_t i = 0; i < grid->n_columns; i++) {
		if (array__grow((void **)&grid->cells, &grid->room, grid->n_cells, sizeof(char *)) <
		    0)
			return -ENOMEM;
		grid->cells[grid->n_cells++] = NULL;
	}
	return 0;
}

int grid__set(struct grid *grid, size_t column, const char *text)
{
	char **cell = &grid->cells[grid->n_cells - grid->n_columns + column];
	char *copy = utf8__printable(text);

	if (!copy)
		return -ENOMEM;
	free(*cell);
	*cell = copy;
	return 0;
}

int grid__below(struct grid *grid, const char *text)
{
	char *copy = utf8__printable(text);

	if (!copy || array__grow((void **)&grid->below, &grid->room_below, grid->n_below,
				 sizeof(*grid->below)) < 0) {
		free(copy);
		return -ENOMEM;
	}
	grid->below[grid->n_below++] = (struct below){ grid->n_cells, copy };
	return 0;
}

/* Is this byte of valid UTF-8 not the first one of a character? */
static bool is_continued(const char *text)
{
	return ((unsigned char)*text & 0xc0) == 0x80;
}

static unsigned int count_characters(const char *text)
{
	unsigned int n = 0;

	for (; *text; text++)
		n += !is_continued(text);
	return n;
}

/* The text after so many characters. */
static const char *skip_characters(const char *text, unsigned int n)
{
	for (; *text && (n || is_continued(text)); text++)
		n -= !is_continued(text);
	return text;
}

/*
 * Writes text in width characters, cut in the middle where it is longer. Returns the spaces that
 * are still to follow it: at the end of a line they are not written.
 */
static unsigned int print_cell(const char *text, unsigned int width, int align, FILE *out)
{
	unsigned int n = count_characters(text), head = width / 2;
	const char *end;

	if (n > width) {
		end = skip_characters(text, head);
		fprintf(out, "%.*s" ELLIPSIS "%s", (int)(end - text), text,
			skip_characters(text, n - (width - head - 1)));
		return 0;
	}
	if (align == GRID_LEFT) {
		fputs(text, out);
		return width - n;
	}
	fprintf(out, "%*s%s", (int)(width - n), "", text);
	return 0;
}

static void measure_width(const struct layout *layout)
{
	const struct grid *grid = layout->grid;

	for (size_t i = 0; i < grid->n_cells; i++) {
		unsigned int *width = &layout->widths[i % grid->n_columns];
		unsigned int n = grid->cells[i] ? count_characters(grid->cells[i]) : 0;

		if (n > *width)
			*width = n;
	}
	for (size_t i = 0; i < grid->n_columns; i++) {
		unsigned int title = count_characters(grid->columns[i].title);

		if (layout->widths[i] && layout->widths[i] < title)
			layout->widths[i] = title;
	}
}

static bool same_group(const struct grid_column *a, const struct grid_column *b)
{
	return a->group && b->group && strcmp(a->group, b->group) == 0;
}

/* The columns that are under one title with column first: up to before the one returned. */
static size_t end_of_group(const struct layout *layout, size_t first, unsigned int *width)
{
	const struct grid_column *columns = layout->grid->columns;
	size_t end = first;

	*width = 0;
	do {
		if (layout->widths[end])
			*width += layout->widths[end] + layout->gap;
		end++;
	} while (end < layout->grid->n_columns && same_group(&columns[first], &columns[end]));
	return end;
}

/* Makes the last column under a title wide enough for it. */
static void widen_groups(const struct layout *layout)
{
	unsigned int width, title;
	size_t end;

	for (size_t i = 0; i < layout->grid->n_columns; i = end) {
		size_t last;

		end = end_of_group(layout, i, &width);
		if (!layout->grid->columns[i].group || !width)
			continue;
		title = count_characters(layout->grid->columns[i].group);
		for (last = end - 1; !layout->widths[last]; last--)
			;
		if (width < title + layout->gap)
			layout->widths[last] += title + layout->gap - width;
	}
}

/* With names as they are (least: cut as far as they may be), and gaps between columns. */
static unsigned int line_width(const struct layout *layout, bool least)
{
	unsigned int sum = 0;

	for (size_t i = 0; i < layout->grid->n_columns; i++) {
		unsigned int width = layout->widths[i], limit = layout->grid->columns[i].least;

		if (least && limit && width > limit)
			width = limit;
		if (width)
			sum += width + layout->gap;
	}
	return sum > layout->gap ? sum - layout->gap : 0;
}

/* Takes what is too much from the widest of the columns that may be cut. */
static void cut(const struct layout *layout, unsigned int width)
{
	const struct grid_column *columns = layout->grid->columns;

	while (line_width(layout, false) > width) {
		unsigned int *widest = NULL;

		for (size_t i = 0; i < layout->grid->n_columns; i++) {
			if (columns[i].least && layout->widths[i] > columns[i].least &&
			    (!widest || layout->widths[i] > *widest))
				widest = &layout->widths[i];
		}
		if (!widest)
			return;
		--*widest;
	}
}

/* Leaves out the column that is dropped next; false where there is none. */
static bool drop_one(const struct layout *layout)
{
	const struct grid_column *columns = layout->grid->columns;
	size_t n = layout->grid->n_columns, next = n;

	for (size_t i = 0; i < n; i++) {
		if (columns[i].drop && layout->widths[i] &&
		    (next == n || columns[i].drop < columns[next].drop))
			next = i;
	}
	if (next < n)
		layout->widths[next] = 0;
	return next < n;
}

/* Two spaces between columns where there is room; then one; then less is shown. */
static void fit(struct layout *layout, unsigned int width)
{
	layout->gap = 2;
	if (line_width(layout, false) > (width ? width : WIDTH_OF_FILES))
		layout->gap = 1;
	widen_groups(layout);
	if (!width)
		return;
	while (line_width(layout, true) > width && drop_one(layout))
		;
	widen_groups(layout);
	cut(layout, width);
}

/* "-- % of total --" above columns that are so wide together. */
static void print_group(const char *group, unsigned int width, FILE *out)
{
	unsigned int n = count_characters(group);

	if (n + 2 >= width) {
		print_cell(group, width, GRID_RIGHT, out);
		return;
	}
	for (unsigned int i = 0; i < (width - n - 2) / 2; i++)
		fputc('-', out);
	fprintf(out, " %s ", group);
	for (unsigned int i = 0; i < (width - n - 1) / 2; i++)
		fputc('-', out);
}

static void print_groups(const struct layout *layout, FILE *out)
{
	unsigned int pending = 0; /* spaces before what comes next */
	unsigned int width;
	size_t end;

	for (size_t i = 0; i < layout->grid->n_columns; i = end) {
		const char *group = layout->grid->columns[i].group;

		end = end_of_group(layout, i, &width);
		if (!group || !width) {
			pending += width;
			continue;
		}
		fprintf(out, "%*s", (int)pending, "");
		print_group(group, width - layout->gap, out);
		pending = layout->gap;
	}
	fputc('\n', out);
}

static bool has_group(const struct layout *layout)
{
	for (size_t i = 0; i < layout->grid->n_columns; i++) {
		if (layout->grid->columns[i].group && layout->widths[i])
			return true;
	}
	return false;
}

/* One line; cells NULL: the titles. No spaces at its end. */
static void print_line(const struct layout *layout, char *const *cells, FILE *out)
{
	const struct grid_column *columns = layout->grid->columns;
	unsigned int pending = 0;

	for (size_t i = 0; i < layout->grid->n_columns; i++) {
		unsigned int width = layout->widths[i];
		const char *text = cells ? cells[i] : columns[i].title;

		if (!width)
			continue;
		if (!text || !*text) {
			pending += width + layout->gap;
			continue;
		}
		fprintf(out, "%*s", (int)pending, "");
		pending = layout->gap + print_cell(text, width, columns[i].align, out);
	}
	fputc('\n', out);
}

/* The lines below the row that ends there, from line i on; the next line. */
static size_t print_below(const struct grid *grid, size_t end, size_t i, FILE *out,
			  unsigned int width)
{
	for (; i < grid->n_below && grid->below[i].end == end; i++) {
		const char *text = grid->below[i].text;

		print_cell(text, width ? width : count_characters(text), GRID_LEFT, out);
		fputc('\n', out);
	}
	return i;
}

int grid__print(const struct grid *grid, FILE *out, unsigned int width)
{
	struct layout layout = { .grid = grid };
	size_t below = 0;

	layout.widths = calloc(grid->n_columns, sizeof(*layout.widths));
	if (!layout.widths)
		return -ENOMEM;
	measure_width(&layout);
	fit(&layout, width);
	if (has_group(&layout))
		print_groups(&layout, out);
	print_line(&layout, NULL, out);
	for (size_t i = 0; i < grid->n_cells; i += grid->n_columns) {
		print_line(&layout, grid->cells + i, out);
		below = print_below(grid, i + grid->n_columns, below, out, width);
	}
	free(layout.widths);
	return 0;
}
