// SPDX-License-Identifier: GPL-2.0-only
/*
 * The columns. Where the time of library calls went is shown as shares of their total, which add up
 * to 100: outside the kernel (code), on files, sockets, waiting, in other system calls. Time in
 * traced calls inside is shared out in the same way; self is the time without it.
 */
#include "report/names.h"
#include "report/table_layer.h"
#include "report/units.h"

#define SHARES "% of total"

/* A row that is being filled: its cells in order. The first failure stays. */
struct writer {
	struct grid *grid;
	size_t column;
	int ret;
};

static void put(struct writer *writer, const char *text)
{
	if (!writer->ret && text && *text)
		writer->ret = grid__set(writer->grid, writer->column, text);
	writer->column++;
}

/* 0 is shown as nothing: a column without anything is left out. */
static void put_count(struct writer *writer, __u64 count)
{
	char text[UNITS_ROOM];

	put(writer, count ? units__count(text, count) : NULL);
}

static void put_time(struct writer *writer, __u64 ns, bool measured)
{
	char text[UNITS_ROOM];

	put(writer, measured ? units__time(text, ns) : NULL);
}

static void put_bytes(struct writer *writer, const struct figures *figures)
{
	char text[UNITS_ROOM];

	put(writer, figures->sized ? units__bytes(text, figures->bytes) : NULL);
}

static void put_share(struct writer *writer, __u64 part, __u64 whole)
{
	char text[UNITS_ROOM];

	put(writer, units__share(text, part, whole));
}

static void put_counts(struct writer *writer, const struct figures *figures)
{
	char text[UNITS_ROOM];

	put(writer, units__count(text, figures->count));
	put_count(writer, figures->in_flight);
	put_count(writer, figures->errors);
	put_count(writer, figures->retries);
	put_bytes(writer, figures);
}

static void put_latency(struct writer *writer, const struct figures *figures)
{
	bool timed = figures->timed != 0;

	put_time(writer, timed ? figures->total_ns / figures->timed : 0, timed);
	put_time(writer, figures->p99_ns, timed);
	put_time(writer, figures->max_ns, timed);
}

static __u64 less(__u64 whole, __u64 part)
{
	return whole > part ? whole - part : 0;
}

static void put_shares(struct writer *writer, const struct report_run *run,
		       const struct figures *figures)
{
	const __u64 *times = figures->times_ns;
	__u64 whole = figures->total_ns, inside = times[TM_TIME_SYSCALL];
	__u64 named = times[TM_TIME_VFS] + times[TM_TIME_NET] + times[TM_TIME_WAIT];
	bool all = report__knows(run, TM_TIME_SYSCALL);
	char share[UNITS_ROOM], part[UNITS_ROOM + 2];

	put_share(writer, all ? less(whole, inside) : 0, whole);
	put_share(writer, times[TM_TIME_VFS], whole);
	units__share(share, times[TM_TIME_BLOCK], whole);
	snprintf(part, sizeof(part), "(%s)", share);
	put(writer, share[0] ? part : NULL);
	put_share(writer, times[TM_TIME_NET], whole);
	put_share(writer, times[TM_TIME_WAIT], whole);
	put_share(writer, all ? less(inside, named) : 0, whole);
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

static void fill_library(struct writer *writer, const struct report_run *run,
			 const struct table_row *row)
{
	const struct figures *figures = &row->figures;
	bool timed = figures->timed != 0;

	put(writer, names__function(run, &row->series->total.key));
	put_counts(writer, figures);
	put_time(writer, figures->total_ns, timed);
	put_time(writer, figures->self_ns, timed);
	put_shares(writer, run, figures);
	put_latency(writer, figures);
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

static void fill_vfs(struct writer *writer, const struct report_run *run,
		     const struct table_row *row)
{
	const struct tm_series *total = &row->series->total;
	const struct figures *figures = &row->figures;
	bool timed = figures->timed != 0;
	__u64 disk_ns = figures->times_ns[TM_TIME_BLOCK];
	char name[NAMES_ROOM];

	put(writer, names__function(run, &total->key));
	put(writer, names__fs_type(run, total, name));
	put(writer, names__mount(run, total));
	put_counts(writer, figures);
	put_time(writer, figures->total_ns, timed);
	put_time(writer, disk_ns, disk_ns != 0);
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

static void fill_block(struct writer *writer, const struct report_run *run,
		       const struct table_row *row)
{
	const struct tm_series *total = &row->series->total;
	const struct figures *figures = &row->figures;
	bool timed = figures->timed != 0;
	char name[NAMES_ROOM];

	put(writer, names__device(run, total, name));
	put(writer, total->key.flags & TM_KEY_NO_DISK ? names__fs_type(run, total, name) : NULL);
	put(writer, names__function(run, &total->key));
	put_counts(writer, figures);
	put_time(writer, figures->queue_ns, timed);
	put_time(writer, figures->total_ns, timed);
	put_latency(writer, figures);
	put(writer, total->key.flags & TM_KEY_METADATA ? "meta" : NULL);
	put(writer, total->key.flags & TM_KEY_WRITEBACK ? "writeback" : NULL);
}

struct kind {
	const struct grid_column *columns;
	size_t n_columns;
	void (*fill)(struct writer *writer, const struct report_run *run,
		     const struct table_row *row);
};

#define KIND(name)                                                                            \
	{                                                                                     \
		name##_columns, sizeof(name##_columns) / sizeof(*name##_columns), fill_##name \
	}

static const struct kind kinds[] = {
	[TM_LAYER_VFS] = KIND(vfs),
	[TM_LAYER_BLOCK] = KIND(block),
	[TM_LAYER_USER] = KIND(library),
};

struct grid *table_layer__grid(const struct report_run *run, const struct table_row *rows, size_t n)
{
	__u8 layer = n ? rows[0].series->total.key.layer : TM_LAYER_USER;
	const struct kind *kind = &kinds[layer < TM_LAYER_USER ? layer : TM_LAYER_USER];
	struct grid *grid = grid__new(kind->columns, kind->n_columns);

	for (size_t i = 0; grid && i < n; i++) {
		struct writer writer = { .grid = grid, .ret = grid__row(grid) };

		kind->fill(&writer, run, &rows[i]);
		if (!writer.ret)
			continue;
		grid__free(grid);
		return NULL;
	}
	return grid;
}
