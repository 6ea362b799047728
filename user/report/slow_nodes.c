// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "report/slow_nodes.h"
#include "timeline/usual.h"

/* A node with fewer calls has no percentile to speak of. */
#define CALLS_LEAST 100

static bool is_known(const struct node *node)
{
	return node->sum.figures.bucketed >= CALLS_LEAST && node->sum.figures.p90_ns;
}

/* What the other nodes have, in the two arrays; how many. */
static size_t collect(const struct nodes_layer *layer, size_t without, double *log_ns,
		      double *calls)
{
	size_t n = 0;

	for (size_t i = 0; i < layer->n; i++) {
		if (i == without || !is_known(&layer->nodes[i]))
			continue;
		log_ns[n] = log((double)layer->nodes[i].sum.figures.p90_ns);
		calls[n++] = (double)layer->nodes[i].sum.figures.count;
	}
	return n;
}

/* Does node i of the layer stand out? Then *out says how. */
static bool stands_out(const struct nodes_layer *layer, size_t i, double *log_ns, double *calls,
		       struct slow_node *out)
{
	const struct figures *figures = &layer->nodes[i].sum.figures;
	size_t n = collect(layer, i, log_ns, calls);
	struct usual usual;
	double own;

	if (n + 1 < SLOW_NODES_LEAST || !is_known(&layer->nodes[i]))
		return false;
	usual = usual__of(log_ns, n);
	own = log((double)figures->p90_ns);
	if (!usual__is_exceeded(&usual, own))
		return false;
	*out = (struct slow_node){
		.node = &layer->nodes[i],
		.p90_ns = figures->p90_ns,
		.usual_ns = (__u64)exp(usual.log_ns),
		.deviations = usual__deviations(&usual, own),
		.load = (double)figures->count / usual__median(calls, n),
	};
	out->by_load = usual__explains(out->load);
	return true;
}

int slow_nodes__find(const struct nodes_layer *layer, struct slow_node *out)
{
	double *log_ns = calloc(layer->n + 1, sizeof(*log_ns));
	double *calls = calloc(layer->n + 1, sizeof(*calls));
	int n = log_ns && calls ? 0 : -ENOMEM;

	for (size_t i = 0; n >= 0 && i < layer->n; i++)
		n += stands_out(layer, i, log_ns, calls, &out[n]);
	free(log_ns);
	free(calls);
	return n;
}
