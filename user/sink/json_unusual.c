// SPDX-License-Identifier: GPL-2.0-only
#include "report/names.h"
#include "sink/json_timeline.h"
#include "sink/json_unusual.h"
#include "sink/json_value.h"

static struct json_object *begin(const struct report_run *run, const char *kind, __u64 time_ns)
{
	struct json_object *record = json_value__record(run, "unusual", time_ns);

	if (record)
		json_value__add_string(record, "kind", kind);
	return record;
}

static void add_figures(struct json_object *record, int percentile, __u64 ns, __u64 usual_ns,
			double deviations, double load, bool by_load)
{
	json_value__add_u64(record, "percentile", (__u64)percentile);
	json_value__add_u64(record, "latency_ns", ns);
	json_value__add_u64(record, "usual_latency_ns", usual_ns);
	json_value__add(record, "deviations", json_object_new_double(deviations));
	json_value__add(record, "load", json_object_new_double(load));
	json_value__add_string(record, "cause", by_load ? "load" : "latency");
	json_value__add(record, "final", json_object_new_boolean(1));
}

struct json_object *json_unusual__period(const struct report_run *run,
					 const struct timeline *timeline,
					 const struct slow_period *period, __u64 time_ns)
{
	struct json_object *record = begin(run, "period", time_ns);

	if (!record)
		return NULL;
	json_timeline__add_key(record, run, timeline);
	json_value__add_u64(record, "start_ns", period->start_ns);
	json_value__add_u64(record, "end_ns", period->end_ns);
	add_figures(record, period->percentile, period->latency_ns, period->usual_ns,
		    period->deviations, period->load, period->by_load);
	return record;
}

struct json_object *json_unusual__node(const struct report_run *run,
				       const struct nodes_layer *layer,
				       const struct slow_node *node, __u64 time_ns)
{
	struct json_object *record = begin(run, "node", time_ns);

	if (!record)
		return NULL;
	json_value__add_string(record, "layer", layer->name);
	json_value__add_string(record, "function",
			       names__function(node->node->part->run, &node->function));
	json_value__add_string(record, "node", node->node->part->name);
	add_figures(record, node->percentile, node->latency_ns, node->usual_ns, node->deviations,
		    node->load, node->by_load);
	return record;
}
