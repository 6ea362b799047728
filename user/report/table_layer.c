// SPDX-License-Identifier: GPL-2.0-only
/*
 * The columns. Where the time of library calls went is shown as shares of their total, which add up
 * to 100: outside the kernel (code), on files, sockets, waiting, in other system calls. Time in
 * traced calls inside is shared out in the same way; self is the time without it.
 */
#include "addb/sums.h"
#include "base/units.h"
#include "drain/formulas.h"
#include "report/names.h"
#include "report/row_writer.h"
#include "report/series_kind.h"
#include "report/table_layer.h"
#include "tmtrace/object.h"

#define SHARES "% of total"

/* Is the figure an estimate? Then it is no other one than what was seen, unless that is all. */
static bool is_about(const struct table_row *row, const struct estimated *estimated)
{
	return row->estimate.coverage < 1 && row->estimate.known && estimated->error;
}

static void put_counts(struct row_writer *writer, const struct table_row *row)
{
	const struct figures *figures = &row->figures;
	const struct estimate *estimate = &row->estimate;

	writer->about = is_about(row, &estimate->count);
	row_writer__number(writer, writer->about ? estimate->count.value : figures->count);
	row_writer__count(writer, figures->in_flight);
	row_writer__count(writer, figures->errors);
	row_writer__count(writer, figures->retries);
	writer->about = is_about(row, &estimate->bytes);
	row_writer__bytes(writer, writer->about ? estimate->bytes.value : figures->bytes,
			  figures->sized);
	writer->about = false;
}

/* The time in all. */
static void put_total(struct row_writer *writer, const struct table_row *row)
{
	writer->about = is_about(row, &row->estimate.total_ns);
	row_writer__time(writer,
			 writer->about ? row->estimate.total_ns.value : row->figures.total_ns,
			 row->figures.timed != 0);
	writer->about = false;
}

static void put_latency(struct row_writer *writer, const struct figures *figures)
{
	bool timed = figures->timed != 0;

	row_writer__time(writer, timed ? figures->total_ns / figures->timed : 0, timed);
	row_writer__time(writer, figures->p99_ns, figures->bucketed != 0);
	row_writer__time(writer, figures->max_ns, timed);
}

/* As put_latency(), with the median. */
static void put_spread(struct row_writer *writer, const struct figures *figures)
{
	bool timed = figures->timed != 0;

	row_writer__time(writer, timed ? figures->total_ns / figures->timed : 0, timed);
	row_writer__time(writer, figures->p50_ns, figures->bucketed != 0);
	row_writer__time(writer, figures->p99_ns, figures->bucketed != 0);
	row_writer__time(writer, figures->max_ns, timed);
}

/* What sizes came to in a second of the time that they took. */
static void put_rate(struct row_writer *writer, const struct figures *figures)
{
	double seconds = (double)figures->total_ns / 1e9;
	bool known = figures->sized && seconds > 0;

	row_writer__bytes(writer, known ? (__u64)((double)figures->bytes / seconds) : 0, known);
}

static void put_times_and_rate(struct row_writer *writer, const struct figures *figures)
{
	row_writer__time(writer, figures->total_ns, figures->timed != 0);
	put_rate(writer, figures);
	put_spread(writer, figures);
}

static void put_shares(struct row_writer *writer, const struct report_run *run,
		       const struct figures *figures)
{
	const struct time_parts parts = time_parts__of(figures->total_ns, figures->times_ns);
	__u64 whole = figures->total_ns;
	bool all = report__knows(run, TM_TIME_SYSCALL);
	char share[UNITS_ROOM], part[UNITS_ROOM + 2];

	row_writer__share(writer, all ? parts.code : 0, whole);
	row_writer__share(writer, parts.files, whole);
	units__share(share, parts.disk, whole);
	snprintf(part, sizeof(part), "(%s)", share);
	row_writer__text(writer, share[0] ? part : NULL);
	row_writer__share(writer, parts.net, whole);
	row_writer__share(writer, parts.wait, whole);
	row_writer__share(writer, all ? parts.other : 0, whole);
}

static const struct grid_column library_columns[] = {
	{ .title = "function", .align = GRID_LEFT, .least = 16 },
	{ .title = "calls" },
	{ .title = "open", .drop = 6 },
	{ .title = "err" },
	{ .title = "again", .drop = 1 },
	{ .title = "bytes" },
	{ .title = "total" },
	{ .title = "self", .drop = 5 },
	{ .title = "code", .group = SHARES },
	{ .title = "files", .group = SHARES },
	{ .title = "(disk)", .group = SHARES, .drop = 4 },
	{ .title = "net", .group = SHARES },
	{ .title = "wait", .group = SHARES },
	{ .title = "other", .group = SHARES, .drop = 3 },
	{ .title = "avg", .drop = 2 },
	{ .title = "p99" },
	{ .title = "max" },
};

static void fill_library(struct row_writer *writer, const struct report_run *run,
			 const struct table_row *row)
{
	const struct figures *figures = &row->figures;
	bool timed = figures->timed != 0;

	row_writer__text(writer, names__function(run, &row->series->total.key));
	put_counts(writer, row);
	put_total(writer, row);
	row_writer__time(writer, figures->self_ns, timed);
	put_shares(writer, run, figures);
	put_latency(writer, figures);
}

static const struct grid_column operation_columns[] = {
	{ .title = "launched by", .align = GRID_LEFT, .least = 16 },
	{ .title = "complete" },
	{ .title = "open" },
	{ .title = "lost" },
	{ .title = "err" },
	{ .title = "bytes" },
	{ .title = "launching", .drop = 3 },
	{ .title = "polling", .drop = 2 },
	{ .title = "late poll" },
	{ .title = "total", .drop = 4 },
	{ .title = "avg" },
	{ .title = "p50", .drop = 1 },
	{ .title = "p99" },
	{ .title = "max" },
};

static void fill_operation(struct row_writer *writer, const struct report_run *run,
			   const struct table_row *row)
{
	const struct tm_series *total = &row->series->total;
	const struct figures *figures = &row->figures;
	const __u64 *sums = figures->outer_ns; /* in their place */
	bool timed = figures->timed != 0;

	row_writer__text(writer, names__function(run, &total->key));
	row_writer__number(writer, figures->count);
	row_writer__count(writer, figures->in_flight);
	row_writer__count(writer, series__lost_operations(total));
	row_writer__count(writer, figures->errors);
	row_writer__bytes(writer, figures->bytes, figures->sized != 0);
	row_writer__time(writer, sums[TM_OPERATION_SUBMIT], timed);
	row_writer__time(writer, sums[TM_OPERATION_WAIT], sums[TM_OPERATION_WAIT] != 0);
	row_writer__time(writer, sums[TM_OPERATION_LATE], sums[TM_OPERATION_LATE] != 0);
	row_writer__time(writer, figures->total_ns, timed);
	put_spread(writer, figures);
}

static const struct grid_column size_columns[] = {
	{ .title = "function", .align = GRID_LEFT, .least = 16 },
	{ .title = "size", .align = GRID_LEFT },
	{ .title = "calls" },
	{ .title = "bytes" },
	{ .title = "total" },
	{ .title = "bytes/s" },
	{ .title = "avg" },
	{ .title = "p50", .drop = 1 },
	{ .title = "p99" },
	{ .title = "max" },
};

/* A class of sizes by its largest one. */
static void put_size_class(struct row_writer *writer, __u64 class)
{
	char edge[UNITS_ROOM], text[UNITS_ROOM + 8];
	bool last = class == TM_OBJECT_SIZES - 1;

	if (class >= TM_OBJECT_SIZES) {
		row_writer__text(writer, "not known");
		return;
	}
	units__exact_bytes(edge, tm_object_size_edge((__u32) class - last));
	snprintf(text, sizeof(text), "%s %s", last ? "above" : "up to", edge);
	row_writer__text(writer, text);
}

static void fill_size(struct row_writer *writer, const struct report_run *run,
		      const struct table_row *row)
{
	const struct tm_key *key = &row->series->total.key;
	const struct figures *figures = &row->figures;

	row_writer__text(writer, names__function(run, key));
	put_size_class(writer, key->where);
	row_writer__number(writer, figures->count);
	row_writer__bytes(writer, figures->bytes, figures->sized != 0);
	put_times_and_rate(writer, figures);
}

static const struct grid_column association_columns[] = {
	{ .title = "joined by", .align = GRID_LEFT, .least = 16 },
	{ .title = "left" },
	{ .title = "open" },
	{ .title = "total" },
	{ .title = "avg" },
	{ .title = "max" },
};

static void fill_association(struct row_writer *writer, const struct report_run *run,
			     const struct table_row *row)
{
	const struct figures *figures = &row->figures;
	bool timed = figures->timed != 0;

	row_writer__text(writer, names__function(run, &row->series->total.key));
	row_writer__number(writer, figures->count);
	row_writer__count(writer, figures->in_flight);
	row_writer__time(writer, figures->total_ns, timed);
	row_writer__time(writer, timed ? figures->total_ns / figures->timed : 0, timed);
	row_writer__time(writer, figures->max_ns, timed);
}

static const struct grid_column state_columns[] = {
	{ .title = "record", .align = GRID_LEFT, .least = 12 },
	{ .title = "fom", .align = GRID_LEFT },
	{ .title = "state", .align = GRID_LEFT, .least = 12 },
	{ .title = "told by", .align = GRID_LEFT, .drop = 3 },
	{ .title = "times" },
	{ .title = "open" },
	{ .title = "bytes" },
	{ .title = "total" },
	{ .title = "bytes/s", .drop = 2 },
	{ .title = "avg" },
	{ .title = "p50", .drop = 1 },
	{ .title = "p99" },
	{ .title = "max" },
};

static void fill_state(struct row_writer *writer, const struct report_run *run,
		       const struct table_row *row)
{
	const struct tm_key *key = &row->series->total.key;
	const struct figures *figures = &row->figures;
	__u64 where = key->where;
	char text[256];
	const char *state;

	row_writer__text(writer, addb_sum__record(where, text, sizeof(text)));
	row_writer__text(writer, addb_sum__fom(where, text, sizeof(text)));
	state = addb_sum__what(where, text, sizeof(text));
	row_writer__text(writer, state ? state : "begin to end");
	row_writer__text(writer, names__function(run, key));
	row_writer__number(writer, figures->count);
	row_writer__count(writer, figures->in_flight);
	row_writer__bytes(writer, figures->bytes, figures->sized != 0);
	put_times_and_rate(writer, figures);
}

static const struct grid_column value_columns[] = {
	{ .title = "record", .align = GRID_LEFT, .least = 12 },
	{ .title = "fom", .align = GRID_LEFT },
	{ .title = "field", .align = GRID_LEFT },
	{ .title = "told by", .align = GRID_LEFT, .drop = 3 },
	{ .title = "times" },
	{ .title = "err" },
	{ .title = "bytes" },
	{ .title = "avg size" },
	{ .title = "total" },
	{ .title = "bytes/s", .drop = 2 },
	{ .title = "avg" },
	{ .title = "p50", .drop = 1 },
	{ .title = "p99" },
	{ .title = "max" },
};

static void fill_value(struct row_writer *writer, const struct report_run *run,
		       const struct table_row *row)
{
	const struct tm_key *key = &row->series->total.key;
	bool number = addb_sum__kind(key->where) == ADDB_SUM_NUMBER;
	const struct figures *figures = &row->figures;
	__u64 sized = figures->sized, average = sized ? figures->bytes / sized : 0;
	char text[256];

	row_writer__text(writer, addb_sum__record(key->where, text, sizeof(text)));
	row_writer__text(writer, addb_sum__fom(key->where, text, sizeof(text)));
	row_writer__text(writer, addb_sum__what(key->where, text, sizeof(text)));
	row_writer__text(writer, names__function(run, key));
	row_writer__number(writer, figures->count);
	row_writer__count(writer, figures->errors);
	row_writer__bytes(writer, figures->bytes, sized && !number);
	if (number && sized)
		row_writer__number(writer, average);
	else
		row_writer__bytes(writer, average, sized != 0);
	put_times_and_rate(writer, figures);
}

static const struct grid_column vfs_columns[] = {
	{ .title = "operation", .align = GRID_LEFT },
	{ .title = "fs", .align = GRID_LEFT },
	{ .title = "mount", .align = GRID_LEFT, .least = 10 },
	{ .title = "calls" },
	{ .title = "open", .drop = 3 },
	{ .title = "err" },
	{ .title = "again", .drop = 1 },
	{ .title = "bytes" },
	{ .title = "total" },
	{ .title = "(disk)" },
	{ .title = "avg", .drop = 2 },
	{ .title = "p99" },
	{ .title = "max" },
};

static void fill_vfs(struct row_writer *writer, const struct report_run *run,
		     const struct table_row *row)
{
	const struct tm_series *total = &row->series->total;
	const struct figures *figures = &row->figures;
	__u64 disk_ns = figures->times_ns[TM_TIME_BLOCK];
	char name[NAMES_ROOM];

	row_writer__text(writer, names__function(run, &total->key));
	row_writer__text(writer, names__fs_type(run, total, name));
	row_writer__text(writer, names__mount(run, total));
	put_counts(writer, row);
	put_total(writer, row);
	row_writer__time(writer, disk_ns, disk_ns != 0);
	put_latency(writer, figures);
}

static const struct grid_column block_columns[] = {
	{ .title = "device", .align = GRID_LEFT },
	{ .title = "fs", .align = GRID_LEFT },
	{ .title = "operation", .align = GRID_LEFT },
	{ .title = "requests" },
	{ .title = "open", .drop = 3 },
	{ .title = "err" },
	{ .title = "again", .drop = 1 },
	{ .title = "bytes" },
	{ .title = "queued" },
	{ .title = "served" },
	{ .title = "avg", .drop = 2 },
	{ .title = "p99" },
	{ .title = "max", .drop = 4 },
	{ .title = "of", .align = GRID_LEFT },
	{ .title = "by", .align = GRID_LEFT },
};

static void fill_block(struct row_writer *writer, const struct report_run *run,
		       const struct table_row *row)
{
	const struct tm_series *total = &row->series->total;
	const struct figures *figures = &row->figures;
	bool timed = figures->timed != 0;
	char name[NAMES_ROOM];

	row_writer__text(writer, names__device(run, total, name));
	row_writer__text(writer, total->key.flags & TM_KEY_NO_DISK
					 ? names__fs_type(run, total, name)
					 : NULL);
	row_writer__text(writer, names__function(run, &total->key));
	put_counts(writer, row);
	row_writer__time(writer, figures->queue_ns, timed);
	row_writer__time(writer, figures->total_ns, timed);
	put_latency(writer, figures);
	row_writer__text(writer, total->key.flags & TM_KEY_METADATA ? "meta" : NULL);
	row_writer__text(writer, total->key.flags & TM_KEY_WRITEBACK ? "writeback" : NULL);
}

struct kind {
	const struct grid_column *columns;
	size_t n_columns;
	void (*fill)(struct row_writer *writer, const struct report_run *run,
		     const struct table_row *row);
};

#define KIND(name)                                                                            \
	{                                                                                     \
		name##_columns, sizeof(name##_columns) / sizeof(*name##_columns), fill_##name \
	}

static const struct kind kinds[SERIES_RECORDED] = {
	[SERIES_FILES] = KIND(vfs),	[SERIES_DEVICES] = KIND(block),
	[SERIES_CALLS] = KIND(library), [SERIES_OPERATIONS] = KIND(operation),
	[SERIES_BY_SIZE] = KIND(size),	[SERIES_ASSOCIATIONS] = KIND(association),
	[SERIES_STATES] = KIND(state),	[SERIES_VALUES] = KIND(value),
};

struct grid *table_layer__grid(const struct report_run *run, const struct table_row *rows, size_t n)
{
	const struct kind *kind = &kinds[series_kind__of(&rows[0].series->total.key)];
	struct grid *grid = grid__new(kind->columns, kind->n_columns);

	for (size_t i = 0; grid && i < n; i++) {
		struct row_writer writer = row_writer__begin(grid);

		kind->fill(&writer, run, &rows[i]);
		if (!writer.ret)
			continue;
		grid__free(grid);
		return NULL;
	}
	return grid;
}
