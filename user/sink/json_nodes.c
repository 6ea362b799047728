// SPDX-License-Identifier: GPL-2.0-only
#include "sink/json_nodes.h"
#include "sink/json_value.h"

static struct json_object *node_object(const struct node *node)
{
	const struct figures *figures = &node->sum.figures;
	bool timed = figures->timed != 0;
	struct json_object *object = json_object_new_object();

	if (!object)
		return NULL;
	json_value__add_string(object, "node", node->part->name);
	json_value__add_string(object, "hostname", node->part->run->hostname);
	json_value__add_string(object, "epoch", node->part->run->epoch);
	json_value__add_u64(object, "count", figures->count);
	json_value__add_u64(object, "errors", figures->errors);
	json_value__add_measured(object, "bytes", figures->bytes, figures->sized);
	json_value__add_measured(object, "time_ns", node->sum.time_ns, timed);
	json_value__add_measured(object, "p99_ns", figures->p99_ns, figures->bucketed != 0);
	json_value__add_measured(object, "max_ns", figures->max_ns, timed);
	return object;
}

/* How long the layer took one of them, and which. */
static void add_one(struct json_object *record, const char *which, const char *time,
		    const struct node *node)
{
	json_value__add_string(record, which, node->part->name);
	json_value__add_u64(record, time, node->sum.time_ns);
}

struct json_object *json_nodes__record(const struct report_run *run,
				       const struct nodes_layer *layer, __u64 time_ns)
{
	struct json_object *record = json_value__record(run, "nodes", time_ns);
	struct json_object *nodes = json_object_new_array();

	if (!record || !nodes) {
		json_object_put(record);
		json_object_put(nodes);
		return NULL;
	}
	json_value__add_string(record, "layer", layer->name);
	add_one(record, "slowest", "slowest_ns", &layer->nodes[0]);
	json_value__add_u64(record, "median_ns", nodes__median_ns(layer));
	add_one(record, "fastest", "fastest_ns", &layer->nodes[layer->n - 1]);
	for (size_t i = 0; i < layer->n; i++)
		json_object_array_add(nodes, node_object(&layer->nodes[i]));
	json_value__add(record, "nodes", nodes);
	json_value__add(record, "final", json_object_new_boolean(1));
	return record;
}
