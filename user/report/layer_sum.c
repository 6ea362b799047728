// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <string.h>

#include "drain/formulas.h"
#include "report/layer_sum.h"

static bool is_of_layer(const struct tm_series *total, __u8 layer, long function)
{
	return total->key.layer == layer && !key__is_beside(&total->key) &&
	       (total->count || total->in_flight) &&
	       (function == LAYER_SUM_ALL || total->key.function == (__u32)function);
}

static void sum_up(struct layer_sum *out, const struct snapshot *snapshot, size_t first, size_t end,
		   __u8 layer, long function)
{
	struct figures *sum = &out->figures;
	__u64 count[TM_BUCKETS] = { 0 };
	struct histogram latency;

	*out = (struct layer_sum){ 0 };
	for (size_t i = first; i < end; i++) {
		const struct snapshot_series *series = snapshot->series[i];
		struct figures figures;

		if (!is_of_layer(&series->total, layer, function))
			continue;
		out->n++;
		figures__total(&figures, series);
		figures__add(sum, &figures);
		histogram__add(count, &series->latency);
	}
	latency = histogram__of(count);
	figures__set_quantiles(sum, &latency);
	out->time_ns = layer__own_ns(layer, sum->total_ns, sum->self_ns);
}

void outermost_sum__make(struct outermost_sum *out, const struct snapshot *snapshot, size_t first,
			 size_t end)
{
	*out = (struct outermost_sum){ 0 };
	for (size_t i = first; i < end; i++) {
		const struct tm_series *series = &snapshot->series[i]->total;

		if (series->key.layer < TM_LAYER_USER || key__is_beside(&series->key))
			continue;
		/* What is nobody else's adds up to the time of the outermost calls. */
		out->total_ns += series->self_ns;
		for (int time = 0; time < TM_OUTER_TIMES; time++) {
			out->times_ns[time] += series->outer_ns[time];
			out->named_ns += series->outer_ns[time];
		}
	}
}

void layer_sum__make(struct layer_sum *out, const struct snapshot *snapshot, size_t first,
		     size_t end, __u8 layer)
{
	sum_up(out, snapshot, first, end, layer, LAYER_SUM_ALL);
}

void layer_sum__of(struct layer_sum *out, const struct snapshot *snapshot, __u8 layer,
		   long function)
{
	sum_up(out, snapshot, 0, snapshot->n_series, layer, function);
}
