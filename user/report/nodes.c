// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/extremes.h"
#include "report/grid.h"
#include "report/layer_sum.h"
#include "report/name_list.h"
#include "report/names.h"
#include "report/nodes.h"
#include "report/row_writer.h"
#include "report/title.h"

static const struct grid_column columns[] = {
	{ .title = "node", .align = GRID_LEFT, .least = 12 },
	{ .title = "calls" },
	{ .title = "err", .drop = 2 },
	{ .title = "bytes" },
	{ .title = "time" },
	{ .title = "avg", .drop = 1 },
	{ .title = "p99" },
	{ .title = "max" },
};

static int put_node(struct grid *grid, const struct node *node)
{
	const struct figures *figures = &node->sum.figures;
	struct row_writer row = row_writer__begin(grid);
	bool timed = figures->timed != 0;

	row_writer__text(&row, node->part->name);
	row_writer__number(&row, figures->count);
	row_writer__count(&row, figures->errors);
	row_writer__bytes(&row, figures->bytes, figures->sized != 0);
	row_writer__time(&row, node->sum.time_ns, timed);
	row_writer__time(&row, timed ? figures->total_ns / figures->timed : 0, timed);
	row_writer__time(&row, figures->p99_ns, figures->bucketed != 0);
	row_writer__time(&row, figures->max_ns, timed);
	return row.ret;
}

static int compare_nodes(const void *left, const void *right)
{
	const struct node *a = left, *b = right;

	if (a->sum.time_ns != b->sum.time_ns)
		return a->sum.time_ns > b->sum.time_ns ? -1 : 1;
	return strcmp(a->part->name, b->part->name);
}

__u64 nodes__median_ns(const struct nodes_layer *layer)
{
	__u64 upper = layer->nodes[(layer->n - 1) / 2].sum.time_ns;
	__u64 lower = layer->nodes[layer->n / 2].sum.time_ns;

	return extremes__between(lower, upper);
}

static void print_extremes(FILE *out, const struct nodes_layer *layer)
{
	const struct node *slow = &layer->nodes[0], *fast = &layer->nodes[layer->n - 1];
	const struct extremes extremes = {
		.slowest = slow->part->name,
		.fastest = fast->part->name,
		.most_ns = slow->sum.time_ns,
		.median_ns = nodes__median_ns(layer),
		.least_ns = fast->sum.time_ns,
	};

	extremes__print(out, &extremes);
}

static int print_layer(void *context, const struct nodes_layer *layer)
{
	const struct table_options *options = context;
	struct grid *grid = grid__new(columns, sizeof(columns) / sizeof(*columns));
	int ret = grid ? 0 : -ENOMEM;

	for (size_t i = 0; i < layer->n && !ret; i++)
		ret = put_node(grid, &layer->nodes[i]);
	if (!ret) {
		title__heading(options, "%s by node", layer->name);
		fputc('\n', options->out);
		ret = grid__print(grid, options->out, options->width);
	}
	if (!ret)
		print_extremes(options->out, layer);
	grid__free(grid);
	return ret;
}

/* What a part has of the layer of that name; it may have it under another number. */
static struct layer_sum sum_of(const struct report_part *part, const char *name)
{
	int layer = names__layer_number(part->run, name);
	struct layer_sum sum = { 0 };

	if (layer >= 0)
		layer_sum__of(&sum, part->snapshot, (__u8)layer, LAYER_SUM_ALL);
	return sum;
}

/* The parts' sums of a layer, into nodes. False: none has used it. */
static bool make_layer(const char *name, const struct report_part *parts, size_t n,
		       struct node *nodes)
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		nodes[i] = (struct node){ .part = &parts[i], .sum = sum_of(&parts[i], name) };
		used += nodes[i].sum.n;
	}
	qsort(nodes, n, sizeof(*nodes), compare_nodes);
	return used > 0;
}

/* The names of all layers, the kernel's last. */
static int list_layers(struct name_list *list, const struct report_part *parts, size_t n)
{
	int ret = 0;

	for (size_t i = 0; i < n; i++)
		for (int layer = TM_LAYER_USER;
		     ret >= 0 && layer < 1 << 8 && names__layer(parts[i].run, (__u8)layer); layer++)
			ret = name_list__number(list, names__layer(parts[i].run, (__u8)layer),
						NULL);
	for (__u8 layer = 0; layer < TM_LAYER_USER && ret >= 0; layer++)
		if (names__layer(parts[0].run, layer))
			ret = name_list__number(list, names__layer(parts[0].run, layer), NULL);
	return ret < 0 ? ret : 0;
}

int nodes__each(const struct report_part *parts, size_t n,
		int (*visit)(void *context, const struct nodes_layer *layer), void *context)
{
	struct node *nodes = calloc(n, sizeof(*nodes));
	struct name_list layers = { 0 };
	int ret = nodes ? list_layers(&layers, parts, n) : -ENOMEM;

	for (size_t i = 0; i < layers.n && !ret; i++) {
		struct nodes_layer layer = { name_list__name(&layers, i), nodes, n };

		if (make_layer(layer.name, parts, n, nodes))
			ret = visit(context, &layer);
	}
	name_list__free(&layers);
	free(nodes);
	return ret;
}

int nodes__print(const struct table_options *options, const struct report_part *parts, size_t n,
		 struct error *err)
{
	struct table_options copy = *options; /* the context is not const */
	int ret = nodes__each(parts, n, print_layer, &copy);

	if (ret)
		return error__set(err, ret, "printing the nodes: %s", strerror(-ret));
	return table__flush(options->out, err);
}
