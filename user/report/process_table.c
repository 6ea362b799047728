// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/grid.h"
#include "report/layer_sum.h"
#include "report/names.h"
#include "report/process_sums.h"
#include "report/process_table.h"
#include "report/row_writer.h"
#include "report/title.h"
#include "tmtrace/number.h"

enum column { PID, RANK, NODE, COMMAND, LAYER, CALLS, ERRORS, BYTES, TIME, P99, COLUMNS };

static const struct grid_column columns[COLUMNS] = {
	[PID] = { .title = "process" },
	[RANK] = { .title = "rank" },
	[NODE] = { .title = "node", .align = GRID_LEFT, .least = 8, .drop = 2 },
	[COMMAND] = { .title = "command", .align = GRID_LEFT, .least = 16 },
	[LAYER] = { .title = "layer", .align = GRID_LEFT },
	[CALLS] = { .title = "calls" },
	[ERRORS] = { .title = "err" },
	[BYTES] = { .title = "bytes" },
	[TIME] = { .title = "time" },
	[P99] = { .title = "p99", .drop = 1 },
};

/* Printing: the first failure stays. */
struct printer {
	const struct table_options *options;
	const struct report_run *run;
	struct process_sums sums;
	struct grid *grid;
	int ret;
};

/* Bytes of a command line. */
#define COMMAND_SHOWN 60

/* Who it is, in the row's first cells. */
static void put_process(struct row_writer *row, const struct process_info *process)
{
	char text[COMMAND_SHOWN + 1];

	snprintf(text, sizeof(text), "%d", tm_number(process->pid));
	row_writer__text(row, text);
	snprintf(text, sizeof(text), "%lld", process->rank);
	row_writer__text(row, process->rank >= 0 ? text : NULL);
	row_writer__text(row, process->node);
	snprintf(text, sizeof(text), "%s", process->command ? process->command : process->comm);
	row_writer__text(row, text);
}

static void put_figures(struct row_writer *row, const struct layer_sum *sum)
{
	const struct figures *figures = &sum->figures;

	row_writer__number(row, figures->count);
	row_writer__count(row, figures->errors);
	row_writer__bytes(row, figures->bytes, figures->sized != 0);
	row_writer__time(row, sum->time_ns, figures->timed != 0);
	row_writer__time(row, figures->p99_ns, figures->bucketed != 0);
}

/* A line for each layer that series from first to end - 1 are of; whose they are in the first. */
static void put_lines(struct printer *printer, size_t first, size_t end, __u32 number,
		      const char *title)
{
	const struct report_run *run = printer->run;
	const struct process_info *process;
	struct layer_sum sum;
	bool begun = false;

	for (int layer = names__top_layer(run); layer >= 0 && !printer->ret;
	     layer = names__layer_below(run, layer)) {
		struct row_writer row;

		layer_sum__make(&sum, &printer->sums.snapshot, first, end, (__u8)layer);
		if (!sum.n)
			continue;
		row = row_writer__begin(printer->grid);
		process = begun || title ? NULL : names__process(run, number);
		if (process)
			put_process(&row, process);
		row.column = COMMAND;
		if (!begun && title)
			row_writer__text(&row, title);
		row.column = LAYER;
		row_writer__text(&row, names__layer(run, (__u8)layer));
		put_figures(&row, &sum);
		printer->ret = row.ret;
		begun = true;
	}
}

/* Those of the first so many, then what is of the others together, then what is of none. */
static void put_all(struct printer *printer)
{
	const struct process_sum *at = printer->sums.at;
	size_t n = printer->sums.n, none = n, shown = 0;
	char title[64];

	if (n && process_sum__kind(&at[n - 1]) == PROCESS_KIND_NONE)
		none--;
	for (; shown < none && shown < PROCESS_TABLE_MAX &&
	       process_sum__kind(&at[shown]) == PROCESS_KIND_ONE;
	     shown++)
		put_lines(printer, at[shown].first, at[shown].end, at[shown].number, NULL);
	if (shown < none) {
		snprintf(title, sizeof(title), "%zu other processes", none - shown);
		put_lines(printer, at[shown].first, at[none - 1].end, 0,
			  process_sum__kind(&at[none - 1]) == PROCESS_KIND_OTHERS
				  ? "other processes"
				  : title);
	}
	if (none < n)
		put_lines(printer, at[none].first, at[none].end, 0, "of no process");
}

static size_t count_told(const struct process_sums *sums)
{
	size_t n = 0;

	for (size_t i = 0; i < sums->n; i++)
		n += process_sum__kind(&sums->at[i]) == PROCESS_KIND_ONE;
	return n;
}

static void print_processes(struct printer *printer)
{
	FILE *out = printer->options->out;
	char text[UNITS_ROOM];

	printer->grid = grid__new(columns, COLUMNS);
	if (!printer->grid)
		printer->ret = -ENOMEM;
	put_all(printer);
	if (!printer->ret) {
		title__heading(printer->options, "processes");
		fprintf(out, ": %s\n", units__count(text, count_told(&printer->sums)));
		printer->ret = grid__print(printer->grid, out, printer->options->width);
	}
	grid__free(printer->grid);
}

int process_table__print(const struct table_options *options, const struct report_run *run,
			 const struct snapshot *snapshot)
{
	struct printer printer = { .options = options, .run = run };

	if (!run->names.n_processes(run->names.context))
		return 0;
	printer.ret = process_sums__make(&printer.sums, run, snapshot, PROCESS_SUMS_BY_PROCESS,
					 options->sort);
	/* One alone has what the tables above have. */
	if (!printer.ret && count_told(&printer.sums) > 1)
		print_processes(&printer);
	process_sums__free(&printer.sums);
	return printer.ret;
}
