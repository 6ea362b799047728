// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "top/columns.h"

/* How a number is shown. */
enum kind {
	BYTES,
	COUNT,
	SHARE,
	TIME,
	BAR,
	TREND,
	NAME,
};

struct column {
	const char *key, *title;
	unsigned int width;
	enum kind kind;
	unsigned int drop; /* where there is no room the highest number goes first; 0: stays */
};

static const struct column columns[TOP_COLUMNS] = {
	[TOP_COLUMN_READ] = { "read", "READ/s", 6, BYTES, 0 },
	[TOP_COLUMN_WRITE] = { "write", "WRITE/s", 7, BYTES, 0 },
	[TOP_COLUMN_BYTES] = { "bytes", "BYTES/s", 7, BYTES, 0 },
	[TOP_COLUMN_OPERATIONS] = { "ops", "OPS/s", 5, COUNT, 1 },
	[TOP_COLUMN_TIME] = { "time", "TIME/s", 6, TIME, 2 },
	[TOP_COLUMN_LOAD] = { "load", "LOAD%", 5, SHARE, 2 },
	[TOP_COLUMN_READ_P50] = { "rp50", "R-P50", 5, TIME, 6 },
	[TOP_COLUMN_READ_P99] = { "rp99", "R-P99", 5, TIME, 4 },
	[TOP_COLUMN_WRITE_P50] = { "wp50", "W-P50", 5, TIME, 6 },
	[TOP_COLUMN_WRITE_P99] = { "wp99", "W-P99", 5, TIME, 4 },
	[TOP_COLUMN_MAX] = { "max", "MAX", 5, TIME, 7 },
	[TOP_COLUMN_WHERE] = { "where", "WHERE", 10, BAR, 5 },
	[TOP_COLUMN_LIBRARIES] = { "lib", "LIB%", 4, SHARE, 8 },
	[TOP_COLUMN_FILES] = { "file", "FILE%", 5, SHARE, 8 },
	[TOP_COLUMN_NETWORK] = { "net", "NET%", 4, SHARE, 8 },
	[TOP_COLUMN_WAITING] = { "wait", "WAIT%", 5, SHARE, 8 },
	[TOP_COLUMN_DEVICE] = { "dev", "DEV%", 4, SHARE, 8 },
	[TOP_COLUMN_ERRORS] = { "err", "ERR/s", 5, COUNT, 9 },
	[TOP_COLUMN_OPEN] = { "open", "OPEN", 5, COUNT, 9 },
	[TOP_COLUMN_CPU] = { "cpu", "CPU%", 4, SHARE, 7 },
	[TOP_COLUMN_MEMORY] = { "mem", "MEM", 5, BYTES, 7 },
	[TOP_COLUMN_TREND] = { NULL, "BEFORE", 12, TREND, 3 },
	[TOP_COLUMN_NAME] = { "name", "CGROUP", TOP_NAME_WIDTH, NAME, 0 },
};

/* The most that drop can be. */
#define DROPS 9

/* The letters of the bar, as the titles of the shares begin. */
static const char letters[TOP_TIMES] = {
	[TOP_LIBRARIES] = 'l', [TOP_FILES] = 'f',  [TOP_NETWORK] = 'n',
	[TOP_WAITING] = 'w',   [TOP_DEVICE] = 'd',
};

const char *top_column__key(enum top_column column)
{
	return columns[column].key;
}

/* What the rows of a view are. */
static const char *name_title(const struct top_view *view)
{
	if (view->level == TOP_LEVEL_JOBS)
		return columns[TOP_COLUMN_NAME].title;
	if (view->level == TOP_LEVEL_LAYERS)
		return "LAYER";
	if (view->layer == TM_LAYER_VFS)
		return "OPERATION";
	return view->layer == TM_LAYER_BLOCK ? "DEVICE" : "FUNCTION";
}

const char *top_column__title(enum top_column column, const struct top_view *view)
{
	if (column == TOP_COLUMN_NAME)
		return name_title(view);
	if (!top_view__has_flows(view)) {
		if (column == TOP_COLUMN_READ_P50)
			return "P50";
		if (column == TOP_COLUMN_READ_P99)
			return "P99";
	}
	return columns[column].title;
}

unsigned int top_column__width(enum top_column column)
{
	return columns[column].width;
}

enum top_column top_column__find(const char *key)
{
	enum top_column column = 0;

	while (column < TOP_COLUMNS &&
	       (!columns[column].key || strcmp(columns[column].key, key) != 0))
		column++;
	return column;
}

bool top_column__is_of(enum top_column column, const struct top_view *view)
{
	bool jobs = view->level == TOP_LEVEL_JOBS;

	switch (column) {
	case TOP_COLUMN_READ:
	case TOP_COLUMN_WRITE:
	case TOP_COLUMN_WRITE_P50:
	case TOP_COLUMN_WRITE_P99:
		return top_view__has_flows(view);
	case TOP_COLUMN_BYTES:
		return !top_view__has_flows(view);
	case TOP_COLUMN_TIME:
	case TOP_COLUMN_MAX:
		return !jobs;
	case TOP_COLUMN_LOAD: /* that of layers has no whole: calls are inside one another */
		return view->level != TOP_LEVEL_LAYERS;
	case TOP_COLUMN_WHERE:
	case TOP_COLUMN_LIBRARIES:
	case TOP_COLUMN_FILES:
	case TOP_COLUMN_NETWORK:
	case TOP_COLUMN_WAITING:
	case TOP_COLUMN_DEVICE:
		return top_view__has_times(view);
	case TOP_COLUMN_CPU:
	case TOP_COLUMN_MEMORY:
		return jobs;
	case TOP_COLUMN_TREND:
		return view->trend;
	default:
		return true;
	}
}

enum top_column top_column__first(const struct top_view *view)
{
	return view->level == TOP_LEVEL_JOBS ? TOP_COLUMN_LOAD : TOP_COLUMN_TIME;
}

/* What the shown columns take, with a space behind each but the last. */
static unsigned int width_of(const bool shown[TOP_COLUMNS])
{
	unsigned int width = 0;

	for (enum top_column i = 0; i < TOP_COLUMNS; i++)
		if (shown[i])
			width += columns[i].width + 1;
	return width - 1;
}

unsigned int top_columns__choose(bool shown[TOP_COLUMNS], const struct top_view *view,
				 unsigned int width)
{
	unsigned int least = view->level == TOP_LEVEL_JOBS ? TOP_NAME_WIDTH : TOP_PART_WIDTH;
	unsigned int used;

	for (enum top_column i = 0; i < TOP_COLUMNS; i++)
		shown[i] = top_column__is_of(i, view);
	used = width_of(shown) - TOP_NAME_WIDTH;
	for (unsigned int drop = DROPS; drop && width && used + least > width; drop--) {
		for (enum top_column i = 0; i < TOP_COLUMNS; i++)
			shown[i] &= columns[i].drop != drop;
		used = width_of(shown) - TOP_NAME_WIDTH;
	}
	if (!width)
		return 0;
	return used + least < width ? width - used : least;
}

static double share(__u64 part, __u64 whole)
{
	return whole ? 100.0 * (double)part / (double)whole : -1;
}

static __u64 whole_time(const struct top_row *row)
{
	__u64 whole = 0;

	for (int i = 0; i < TOP_TIMES; i++)
		whole += row->times_ns[i];
	return whole;
}

static double latency(const struct top_flow *flow, __u64 ns)
{
	return flow->timed ? (double)ns : -1;
}

double top_column__value(enum top_column column, const struct top_table *table,
			 const struct top_row *row)
{
	const struct top_flow *read = &row->flows[TOP_READ], *write = &row->flows[TOP_WRITE];

	switch (column) {
	case TOP_COLUMN_READ:
	case TOP_COLUMN_BYTES:
		return (double)read->bytes / table->seconds;
	case TOP_COLUMN_WRITE:
		return (double)write->bytes / table->seconds;
	case TOP_COLUMN_OPERATIONS:
		return (double)row->operations / table->seconds;
	case TOP_COLUMN_ERRORS:
		return (double)row->errors / table->seconds;
	case TOP_COLUMN_OPEN:
		return (double)row->in_flight;
	case TOP_COLUMN_TIME:
		return row->total_ns ? (double)row->total_ns / table->seconds : -1;
	case TOP_COLUMN_MAX:
		return latency(read, row->max_ns);
	case TOP_COLUMN_CPU:
		return row->processors < 0 ? -1 : 100 * row->processors;
	case TOP_COLUMN_MEMORY:
		return row->memory_bytes == JOB_UNKNOWN ? -1 : (double)row->memory_bytes;
	case TOP_COLUMN_LOAD:
		return share(row->busy_ns, table->sum->busy_ns);
	case TOP_COLUMN_READ_P50:
		return latency(read, read->p50_ns);
	case TOP_COLUMN_READ_P99:
		return latency(read, read->p99_ns);
	case TOP_COLUMN_WRITE_P50:
		return latency(write, write->p50_ns);
	case TOP_COLUMN_WRITE_P99:
		return latency(write, write->p99_ns);
	case TOP_COLUMN_WHERE:
		return (double)whole_time(row);
	case TOP_COLUMN_LIBRARIES:
	case TOP_COLUMN_FILES:
	case TOP_COLUMN_NETWORK:
	case TOP_COLUMN_WAITING:
	case TOP_COLUMN_DEVICE:
		return share(row->times_ns[column - TOP_COLUMN_LIBRARIES], whole_time(row));
	default:
		return -1;
	}
}

double top_column__measure(enum top_column column, const struct top_table *table,
			   const struct top_row *row)
{
	if (column == TOP_COLUMN_LOAD || columns[column].kind == BAR ||
	    columns[column].kind == NAME)
		return (double)row->busy_ns / table->seconds;
	return top_column__value(column, table, row);
}

bool top_column__adds_up(enum top_column column)
{
	return columns[column].kind != TIME || column == TOP_COLUMN_TIME;
}

/* Ten letters: each stands for a tenth of the time. Tenths are given out by the largest rests. */
static const char *draw_bar(char out[UNITS_ROOM], const struct top_row *row)
{
	unsigned int n[TOP_TIMES], given = 0, most = columns[TOP_COLUMN_WHERE].width, used = 0;
	__u64 whole = whole_time(row);
	double rest[TOP_TIMES];

	out[0] = '\0';
	if (!whole)
		return out;
	for (int i = 0; i < TOP_TIMES; i++) {
		double exact = (double)row->times_ns[i] * most / (double)whole;

		n[i] = (unsigned int)exact;
		rest[i] = exact - n[i];
		given += n[i];
	}
	for (; given < most; given++) {
		int largest = 0;

		for (int i = 1; i < TOP_TIMES; i++)
			if (rest[i] > rest[largest])
				largest = i;
		n[largest]++;
		rest[largest] = -1;
	}
	for (int i = 0; i < TOP_TIMES; i++)
		for (; n[i] && used < most; n[i]--)
			out[used++] = letters[i];
	out[used] = '\0';
	return out;
}

const char *top_column__text(char out[UNITS_ROOM], enum top_column column,
			     const struct top_table *table, const struct top_row *row)
{
	double value = top_column__value(column, table, row);

	out[0] = '\0';
	if (columns[column].kind == BAR)
		return draw_bar(out, row);
	if (value < 0 || (value == 0 && columns[column].kind != TIME))
		return out;
	switch (columns[column].kind) {
	case BYTES:
		return units__short_bytes(out, value);
	case COUNT:
		return units__short_count(out, value);
	case TIME:
		return units__short_time(out, (__u64)value);
	case SHARE:
		snprintf(out, UNITS_ROOM, value < 0.5 ? "<1" : "%.0f", value);
		return out;
	default:
		return out;
	}
}

struct order {
	enum top_column column;
	bool reverse;
	const struct top_table *table;
};

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct top_row *a = left, *b = right;
	const struct order *order = context;
	double difference;
	int sign = order->reverse ? -1 : 1;

	if (order->column == TOP_COLUMN_NAME)
		return sign * strcmp(a->name, b->name);
	difference = top_column__value(order->column, order->table, b) -
		     top_column__value(order->column, order->table, a);
	if (difference != 0)
		return difference > 0 ? sign : -sign;
	if (a->idle != b->idle)
		return a->idle < b->idle ? -1 : 1;
	return strcmp(a->name, b->name);
}

void top_columns__sort(struct top_rows *rows, enum top_column column, bool reverse,
		       const struct top_table *table)
{
	struct order order = { column, reverse, table };

	if (rows->n)
		qsort_r(rows->rows, rows->n, sizeof(*rows->rows), compare_rows, &order);
}
