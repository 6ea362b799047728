// SPDX-License-Identifier: GPL-2.0-only
#include "sink/json_nodes.h"

static void add_node(struct record *record, const struct node *node)
{
	const struct figures *figures = &node->sum.figures;
	bool timed = figures->timed != 0;

	record__open(record, NULL);
	record__string(record, "node", node->part->name);
	record__string(record, "hostname", node->part->run->hostname);
	record__string(record, "epoch", node->part->run->epoch);
	record__u64(record, "count", figures->count);
	record__u64(record, "errors", figures->errors);
	record__measured(record, "bytes", figures->bytes, figures->sized);
	record__measured(record, "time_ns", node->sum.time_ns, timed);
	record__measured(record, "p99_ns", figures->p99_ns, figures->bucketed != 0);
	record__measured(record, "max_ns", figures->max_ns, timed);
	record__close(record);
}

/* How long the layer took one of them, and which. */
static void add_one(struct record *record, const char *which, const char *time,
		    const struct node *node)
{
	record__string(record, which, node->part->name);
	record__u64(record, time, node->sum.time_ns);
}

void json_nodes__add(struct record *record, const struct report_run *run,
		     const struct nodes_layer *layer, __u64 time_ns)
{
	record__begin(record, run, "nodes", time_ns, run->hostname);
	record__string(record, "layer", layer->name);
	add_one(record, "slowest", "slowest_ns", &layer->nodes[0]);
	record__u64(record, "median_ns", nodes__median_ns(layer));
	add_one(record, "fastest", "fastest_ns", &layer->nodes[layer->n - 1]);
	record__open_array(record, "nodes");
	for (size_t i = 0; i < layer->n; i++)
		add_node(record, &layer->nodes[i]);
	record__close_array(record);
	record__bool(record, "final", true);
	record__end(record);
}
