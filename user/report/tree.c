// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "drain/formulas.h"
#include "report/grid.h"
#include "report/jobs.h"
#include "report/layer_sum.h"
#include "report/names.h"
#include "report/row_writer.h"
#include "report/title.h"
#include "report/tree.h"

static const struct grid_column columns[] = {
	{ .title = "layer", .align = GRID_LEFT, .least = 16 },
	{ .title = "calls" },
	{ .title = "err", .drop = 3 },
	{ .title = "bytes" },
	{ .title = "time" },
	{ .title = "own" },
	{ .title = "% of layer" },
	{ .title = "p99", .drop = 2 },
	{ .title = "max", .drop = 1 },
};

enum { TIME = 4, SHARE = 6, P99 };

#define STEP 2 /* spaces for each layer further down */

struct tree {
	const struct table_options *options;
	const struct report_run *run;
	const struct snapshot *snapshot;
	struct grid *grid; /* of the job */
	struct row_writer row;
	int depth;
	int ret; /* the first failure */
};

static void begin_row(struct tree *tree, int depth, const char *name)
{
	char text[256];

	if (!tree->ret)
		tree->ret = tree->row.ret;
	if (tree->ret)
		return;
	tree->row = row_writer__begin(tree->grid);
	snprintf(text, sizeof(text), "%*s%s", depth * STEP, "", name);
	row_writer__text(&tree->row, text);
}

/* A part of the time in a layer's calls, of which the layer has none where it is 0. */
static void put_part(struct tree *tree, int depth, const char *name, __u64 ns, __u64 whole)
{
	if (!ns || !whole)
		return;
	begin_row(tree, depth, name);
	tree->row.column = TIME;
	row_writer__time(&tree->row, ns, true);
	tree->row.column = SHARE;
	row_writer__share(&tree->row, ns, whole);
}

/* Where the time in library calls went, traced calls inside included. */
static void put_times(struct tree *tree, const struct figures *figures)
{
	const struct time_parts parts = time_parts__of(figures->total_ns, figures->times_ns);
	__u64 whole = figures->total_ns;
	int depth = tree->depth + 1;

	if (report__knows(tree->run, TM_TIME_SYSCALL))
		put_part(tree, depth, "- code", parts.code, whole);
	put_part(tree, depth, "- files", parts.files, whole);
	put_part(tree, depth, "- (disk)", parts.disk, whole);
	put_part(tree, depth, "- net", parts.net, whole);
	put_part(tree, depth, "- wait", parts.wait, whole);
	if (report__knows(tree->run, TM_TIME_SYSCALL))
		put_part(tree, depth, "- other calls", parts.other, whole);
}

static void put_figures(struct row_writer *row, const struct layer_sum *sum, __u8 layer)
{
	const struct figures *figures = &sum->figures;
	bool timed = figures->timed != 0;

	row_writer__number(row, figures->count);
	row_writer__count(row, figures->errors);
	row_writer__bytes(row, figures->bytes, figures->sized != 0);
	row_writer__time(row, figures->total_ns, timed);
	row_writer__time(row, sum->time_ns, timed && layer >= TM_LAYER_USER);
	row->column = P99;
	row_writer__time(row, figures->p99_ns, timed && figures->bucketed);
	row_writer__time(row, figures->max_ns, timed);
}

static void put_layer(struct tree *tree, const struct jobs *jobs, __u8 layer)
{
	const char *name = names__layer(tree->run, layer);
	struct layer_sum sum;

	layer_sum__make(&sum, tree->snapshot, jobs->first, jobs->end, layer);
	if (!sum.n)
		return;
	begin_row(tree, tree->depth, name ? name : "?");
	put_figures(&tree->row, &sum, layer);
	if (layer == TM_LAYER_VFS)
		put_part(tree, tree->depth + 1, "- (disk)", sum.figures.times_ns[TM_TIME_BLOCK],
			 sum.figures.total_ns);
	else if (layer == TM_LAYER_BLOCK)
		put_part(tree, tree->depth + 1, "- queued before", sum.figures.queue_ns,
			 sum.figures.total_ns + sum.figures.queue_ns);
	else
		put_times(tree, &sum.figures);
	tree->depth++;
}

/* The time in library calls that are not made in another one, and where it went. */
static void put_outermost(struct tree *tree, const struct jobs *jobs)
{
	struct outermost_sum sum;

	outermost_sum__make(&sum, tree->snapshot, jobs->first, jobs->end);
	if (!sum.total_ns)
		return;
	begin_row(tree, 0, "in libraries");
	tree->row.column = TIME;
	row_writer__time(&tree->row, sum.total_ns, true);
	if (report__knows(tree->run, TM_TIME_SYSCALL))
		put_part(tree, 1, "- code and other calls", less(sum.total_ns, sum.named_ns),
			 sum.total_ns);
	put_part(tree, 1, "- files", sum.times_ns[TM_TIME_VFS], sum.total_ns);
	put_part(tree, 1, "- net", sum.times_ns[TM_TIME_NET], sum.total_ns);
	put_part(tree, 1, "- wait", sum.times_ns[TM_TIME_WAIT], sum.total_ns);
	tree->depth++;
}

/* The layers of a job, from the application down to the device. */
static int print_job(struct tree *tree, const struct jobs *jobs)
{
	tree->grid = grid__new(columns, sizeof(columns) / sizeof(*columns));
	if (!tree->grid)
		return -ENOMEM;
	tree->depth = 0;
	tree->row = (struct row_writer){ 0 };
	put_outermost(tree, jobs);
	for (int layer = names__top_layer(tree->run); layer >= 0;
	     layer = names__layer_below(tree->run, layer))
		put_layer(tree, jobs, (__u8)layer);
	if (!tree->ret)
		tree->ret = tree->row.ret;
	if (!tree->ret && tree->depth) {
		fputc('\n', tree->options->out);
		tree->ret = grid__print(tree->grid, tree->options->out, tree->options->width);
	}
	grid__free(tree->grid);
	return tree->ret;
}

int tree__print(const struct table_options *options, const struct report_run *run,
		const struct snapshot *snapshot, struct error *err)
{
	struct tree tree = { .options = options, .run = run, .snapshot = snapshot };
	struct jobs jobs;
	int ret = 0;

	jobs__start(&jobs, snapshot);
	while (!ret && jobs__next(&jobs)) {
		if (jobs__need_title(&jobs, run))
			title__job(options, run, jobs__id(&jobs));
		ret = print_job(&tree, &jobs);
	}
	if (!snapshot->n_series)
		fprintf(options->out, "\nnothing was recorded\n");
	if (ret)
		return error__set(err, ret, "printing the tree: %s", strerror(-ret));
	return table__flush(options->out, err);
}
