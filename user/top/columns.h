/* SPDX-License-Identifier: GPL-2.0-only */
/* The columns of `tmtrace top`: what stands in them, in which order rows are, which there is room
 * for. */
#ifndef USER_TOP_COLUMNS_H
#define USER_TOP_COLUMNS_H

#include "base/units.h"
#include "top/rows.h"

enum top_column {
	TOP_COLUMN_READ,
	TOP_COLUMN_WRITE,
	TOP_COLUMN_BYTES, /* of a library's layer, and below jobs */
	TOP_COLUMN_OPERATIONS,
	TOP_COLUMN_TIME, /* below jobs */
	TOP_COLUMN_LOAD,
	TOP_COLUMN_READ_P50,
	TOP_COLUMN_READ_P99,
	TOP_COLUMN_WRITE_P50,
	TOP_COLUMN_WRITE_P99,
	TOP_COLUMN_MAX, /* below jobs */
	TOP_COLUMN_WHERE,
	TOP_COLUMN_LIBRARIES,
	TOP_COLUMN_FILES,
	TOP_COLUMN_NETWORK,
	TOP_COLUMN_WAITING,
	TOP_COLUMN_DEVICE,
	TOP_COLUMN_ERRORS,
	TOP_COLUMN_OPEN,
	TOP_COLUMN_CPU, /* of jobs, as the next */
	TOP_COLUMN_MEMORY,
	TOP_COLUMN_TREND, /* what is sorted by, over the time before; not made here */
	TOP_COLUMN_NAME,
	TOP_COLUMNS,
};

/* The part of an interval's rows that columns are made from. */
struct top_table {
	const struct top_view *view;
	const struct top_row *sum;
	double seconds; /* that the interval took */
};

/* As --sort names it: "read", NULL: one cannot sort by it; and its title. */
const char *top_column__key(enum top_column column);
const char *top_column__title(enum top_column column, const struct top_view *view);
unsigned int top_column__width(enum top_column column);

/* The column of that key that rows can be sorted by; TOP_COLUMNS: there is none. */
enum top_column top_column__find(const char *key);

/* Has the view that column, on a terminal that is wide enough? */
bool top_column__is_of(enum top_column column, const struct top_view *view);
/* The first of a view's columns that tells how much there is to do: what is sorted by at first. */
enum top_column top_column__first(const struct top_view *view);

/*
 * Which columns a width has room for, the name with at least TOP_NAME_WIDTH characters, or
 * TOP_PART_WIDTH below jobs; 0: all of the view. Returns how much is left for the name.
 */
#define TOP_NAME_WIDTH 16
#define TOP_PART_WIDTH 22
unsigned int top_columns__choose(bool shown[TOP_COLUMNS], const struct top_view *view,
				 unsigned int width);

/* The number that rows are sorted by; negative: there is none. */
double top_column__value(enum top_column column, const struct top_table *table,
			 const struct top_row *row);

/*
 * What its trend is of, other than of its value where that is a share of what all rows have: time
 * in operations. Latencies of two times are none of both: false.
 */
double top_column__measure(enum top_column column, const struct top_table *table,
			   const struct top_row *row);
bool top_column__adds_up(enum top_column column);

/* A cell, "" where there is nothing to say; not of the name. Returns out. */
const char *top_column__text(char out[UNITS_ROOM], enum top_column column,
			     const struct top_table *table, const struct top_row *row);

/*
 * Largest first, names from A on; reverse: the other way round. Of equal rows the one first that
 * did something last, then by their names.
 */
void top_columns__sort(struct top_rows *rows, enum top_column column, bool reverse,
		       const struct top_table *table);

#endif
