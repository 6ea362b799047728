/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text in columns that are as wide as what is in them. Columns without content are left out. Where
 * the line is limited, long names are cut in the middle and columns are dropped until it fits.
 */
#ifndef USER_REPORT_GRID_H
#define USER_REPORT_GRID_H

#include <stddef.h>
#include <stdio.h>

struct grid_column {
	const char *title;
	const char *group; /* shown above adjacent columns of the same group; NULL: none */
	enum { GRID_RIGHT, GRID_LEFT } align;
	unsigned int least; /* may be cut down to so many characters; 0: is never cut */
	unsigned int drop;  /* 1 is dropped first, then 2, ...; 0: never */
};

struct grid;

/* columns must outlive the grid. NULL without memory. */
struct grid *grid__new(const struct grid_column *columns, size_t n);
void grid__free(struct grid *grid); /* NULL is fine */

/* Begins a row; cells that are not set are empty. 0 or -ENOMEM. */
int grid__row(struct grid *grid);
/*
 * Sets a cell of the last row. The text is copied; what is not UTF-8, or would move a terminal's
 * cursor, is replaced. 0 or -ENOMEM.
 */
int grid__set(struct grid *grid, size_t column, const char *text);

/* A line of its own below the last row, after those that it has. Cut where the lines are limited.
 */
int grid__below(struct grid *grid, const char *text);

/*
 * Writes titles and rows; width in characters, 0: not limited. 0 or -ENOMEM; errors of the stream
 * are left to ferror().
 */
int grid__print(const struct grid *grid, FILE *out, unsigned int width);

#endif
