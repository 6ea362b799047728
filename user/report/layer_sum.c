// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "report/layer_sum.h"

static void add_quantiles(struct figures *out, const __u64 count[TM_BUCKETS])
{
	const struct histogram latency = histogram__of(count);

	out->p50_ns = histogram__quantile(&latency, 500, out->min_ns, out->max_ns);
	out->p90_ns = histogram__quantile(&latency, 900, out->min_ns, out->max_ns);
	out->p99_ns = histogram__quantile(&latency, 990, out->min_ns, out->max_ns);
	out->p999_ns = histogram__quantile(&latency, 999, out->min_ns, out->max_ns);
}

void layer_sum__make(struct layer_sum *out, const struct snapshot *snapshot, size_t first,
		     size_t end, __u8 layer)
{
	struct figures *sum = &out->figures;
	__u64 count[TM_BUCKETS] = { 0 };

	*out = (struct layer_sum){ .figures.min_ns = ~0ULL };
	for (size_t i = first; i < end; i++) {
		const struct snapshot_series *series = snapshot->series[i];
		struct figures figures;

		if (series->total.key.layer != layer ||
		    (!series->total.count && !series->total.in_flight))
			continue;
		out->n++;
		figures__total(&figures, series);
		figures__add(sum, &figures);
		histogram__add(count, &series->latency);
		if (figures.timed && figures.min_ns < sum->min_ns)
			sum->min_ns = figures.min_ns;
		if (figures.timed && figures.max_ns > sum->max_ns)
			sum->max_ns = figures.max_ns;
	}
	add_quantiles(sum, count);
	out->time_ns = layer < TM_LAYER_USER ? sum->total_ns : sum->self_ns;
}
