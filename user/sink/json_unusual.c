// SPDX-License-Identifier: GPL-2.0-only
#include "report/names.h"
#include "sink/json_timeline.h"
#include "sink/json_unusual.h"

static void begin_record(struct record *record, const struct report_run *run, const char *kind,
			 __u64 time_ns)
{
	record__begin(record, run, "unusual", time_ns, run->hostname);
	record__string(record, "kind", kind);
}

static void add_figures(struct record *record, int percentile, __u64 ns, __u64 usual_ns,
			double deviations, double load, bool by_load)
{
	record__u64(record, "percentile", (__u64)percentile);
	record__u64(record, "latency_ns", ns);
	record__u64(record, "usual_latency_ns", usual_ns);
	record__double(record, "deviations", deviations);
	record__double(record, "load", load);
	record__string(record, "cause", by_load ? "load" : "latency");
	record__bool(record, "final", true);
	record__end(record);
}

void json_unusual__add_period(struct record *record, const struct report_run *run,
			      const struct timeline *timeline, const struct slow_period *period,
			      __u64 time_ns)
{
	begin_record(record, run, "period", time_ns);
	json_timeline__add_key(record, run, timeline);
	record__u64(record, "start_ns", period->start_ns);
	record__u64(record, "end_ns", period->end_ns);
	add_figures(record, period->percentile, period->latency_ns, period->usual_ns,
		    period->deviations, period->load, period->by_load);
}

void json_unusual__add_node(struct record *record, const struct report_run *run,
			    const struct nodes_layer *layer, const struct slow_node *node,
			    __u64 time_ns)
{
	begin_record(record, run, "node", time_ns);
	record__string(record, "layer", layer->name);
	record__string(record, "function", names__function(node->node->part->run, &node->function));
	record__string(record, "node", node->node->part->name);
	add_figures(record, node->percentile, node->latency_ns, node->usual_ns, node->deviations,
		    node->load, node->by_load);
}
