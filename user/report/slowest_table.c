// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>

#include "base/units.h"
#include "report/names.h"
#include "report/row_writer.h"
#include "report/slowest_table.h"
#include "tmtrace/number.h"

#define ROOM_FOR_NUMBER 24

static const struct grid_column call_columns[] = {
	{ .title = "begin", .align = GRID_LEFT, .drop = 3 },
	{ .title = "time" },
	{ .title = "layer", .align = GRID_LEFT },
	{ .title = "function", .align = GRID_LEFT },
	{ .title = "bytes" },
	{ .title = "rc", .drop = 4 },
	{ .title = "node", .align = GRID_LEFT, .least = 8, .drop = 1 },
	{ .title = "thread", .drop = 5 },
	{ .title = "name", .align = GRID_LEFT, .drop = 2 },
	{ .title = "object", .align = GRID_LEFT, .least = 12 },
};

static const struct grid_column operation_columns[] = {
	{ .title = "launched", .align = GRID_LEFT, .drop = 3 },
	{ .title = "time" },
	{ .title = "launching", .drop = 7 },
	{ .title = "polling", .drop = 6 },
	{ .title = "late poll" },
	{ .title = "layer", .align = GRID_LEFT },
	{ .title = "operation", .align = GRID_LEFT },
	{ .title = "number", .drop = 8 },
	{ .title = "bytes" },
	{ .title = "rc", .drop = 4 },
	{ .title = "end", .align = GRID_LEFT },
	{ .title = "node", .align = GRID_LEFT, .least = 8, .drop = 1 },
	{ .title = "thread", .drop = 5 },
	{ .title = "name", .align = GRID_LEFT, .drop = 2 },
	{ .title = "object", .align = GRID_LEFT, .least = 12 },
};

/* NULL: it is not known. */
static const char *layer_of(const struct kept_call *kept)
{
	return kept->known ? names__layer(kept->run, kept->series.layer) : NULL;
}

static const char *function_of(const struct kept_call *kept)
{
	const struct tm_series like = call_series__like(&kept->series);

	return kept->known ? names__function(kept->run, &like.key) : NULL;
}

static void put_result(struct row_writer *row, const struct tm_call *call)
{
	char text[ROOM_FOR_NUMBER];

	snprintf(text, sizeof(text), "%lld", call->rc);
	row_writer__bytes(row, call->bytes, call->flags & TM_CALL_BYTES);
	row_writer__text(row, call->flags & TM_CALL_RC ? text : NULL);
}

/* Who made it, and what it is about. */
static void put_rest(struct row_writer *row, const struct kept_call *kept)
{
	const struct tm_call *call = &kept->record.call;
	char thread[ROOM_FOR_NUMBER];

	row_writer__text(row, kept->run->hostname);
	snprintf(thread, sizeof(thread), "%d", tm_number(call->tid ? call->tid : call->pid));
	row_writer__text(row, call->pid ? thread : NULL);
	row_writer__text(row, kept->comm);
	row_writer__text(row, kept_call__object(kept));
}

static void put_call(struct row_writer *row, const struct kept_call *kept)
{
	const struct tm_call *call = &kept->record.call;
	char begin[UNITS_ROOM];

	row_writer__text(row, units__moment(begin, call->start_ns));
	row_writer__time(row, call->duration_ns, true);
	row_writer__text(row, layer_of(kept));
	row_writer__text(row, function_of(kept));
	put_result(row, call);
	put_rest(row, kept);
}

/* By which the library knows it: its own, else that of its state machine. */
static void put_number(struct row_writer *row, const struct tm_operation_record *operation)
{
	enum tm_field field =
		operation->known & 1 << TM_FIELD_SEQNO ? TM_FIELD_SEQNO : TM_FIELD_SM_ID;
	char number[ROOM_FOR_NUMBER];

	snprintf(number, sizeof(number), "%llu", operation->fields[field]);
	row_writer__text(row, operation->known & 1 << field ? number : NULL);
}

static void put_operation(struct row_writer *row, const struct kept_call *kept)
{
	const struct tm_operation_record *operation = &kept->record;
	const struct tm_call *call = &operation->call;
	const char *kind = kept_call__kind(kept);
	bool complete = operation->loss == TM_OPERATION_LOSSES;
	char begin[UNITS_ROOM];

	row_writer__text(row, units__moment(begin, call->start_ns));
	row_writer__time(row, call->duration_ns, true);
	row_writer__time(row, operation->submit_ns, operation->known & TM_OPERATION_SUBMITTED);
	row_writer__time(row, operation->wait_ns, operation->wait_ns != 0);
	row_writer__time(row, operation->late_ns, operation->late_ns != 0);
	row_writer__text(row, layer_of(kept));
	row_writer__text(row, *kind ? kind : function_of(kept));
	put_number(row, operation);
	put_result(row, call);
	row_writer__text(row, complete ? NULL : call_batch__fate(operation));
	put_rest(row, kept);
}

typedef void (*put_one)(struct row_writer *row, const struct kept_call *kept);

static int fill_rows(struct grid *grid, const struct kept_call *kept, size_t n, put_one put)
{
	int ret = 0;

	for (size_t i = 0; i < n && !ret; i++) {
		struct row_writer row = row_writer__begin(grid);

		put(&row, &kept[i]);
		ret = row.ret ? row.ret : kept_stack__print(kept[i].stack, grid);
	}
	return ret;
}

static int print_table(const struct table_options *options, struct grid *grid, const char *heading,
		       const struct kept_call *kept, size_t n, put_one put)
{
	int ret = grid ? fill_rows(grid, kept, n, put) : -ENOMEM;

	fprintf(options->out, "\n%s:\n", heading);
	if (!ret)
		ret = grid__print(grid, options->out, options->width);
	grid__free(grid);
	return ret;
}

int slowest_table__calls(const struct table_options *options, const struct kept_call *calls,
			 size_t n)
{
	struct grid *grid = grid__new(call_columns, sizeof(call_columns) / sizeof(*call_columns));

	return print_table(options, grid, "the slowest calls", calls, n, put_call);
}

int slowest_table__operations(const struct table_options *options,
			      const struct kept_call *operations, size_t n)
{
	struct grid *grid = grid__new(operation_columns,
				      sizeof(operation_columns) / sizeof(*operation_columns));

	return print_table(options, grid, "the slowest operations, from launch to completion",
			   operations, n, put_operation);
}
