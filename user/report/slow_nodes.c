// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drain/formulas.h"
#include "report/name_list.h"
#include "report/names.h"
#include "report/slow_nodes.h"
#include "timeline/usual.h"

/* A node with fewer calls has no percentile to speak of. */
#define CALLS_LEAST 100

/*
 * Where quick calls end and slow ones begin, as at 90 % of reads that are in the cache, chance
 * moves a percentile from one to the other: so a node has to stand out at two.
 */
static const int percentiles[] = { 50, 90 };

/*
 * How far few others are apart is mostly chance: two may be alike. The least that their deviation
 * is taken to be is twice as much, where there are so many, as it is where there are very many.
 */
#define DEVIATION_LEAST 0.1
#define FEW		4.0

#define PERCENTILES (sizeof(percentiles) / sizeof(*percentiles))

static __u64 value_of(const struct figures *figures, int percentile)
{
	return percentile == 50 ? figures->p50_ns : figures->p90_ns;
}

static bool is_known(const struct figures *figures)
{
	return figures->bucketed >= CALLS_LEAST && figures->p50_ns;
}

/* What the other nodes have, in the two arrays; how many. */
static size_t collect_nodes(const struct figures *figures, size_t n, size_t without, int percentile,
			    double *log_ns, double *calls)
{
	size_t known = 0;

	for (size_t i = 0; i < n; i++) {
		if (i == without || !is_known(&figures[i]))
			continue;
		log_ns[known] = log((double)value_of(&figures[i], percentile));
		calls[known++] = (double)figures[i].count;
	}
	return known;
}

/* At one percentile. */
static bool exceeds(const struct figures *figures, size_t n, size_t i, int percentile,
		    double *scratch, struct slow_node *out)
{
	double *log_ns = scratch, *calls = scratch + n, own;
	size_t known = collect_nodes(figures, n, i, percentile, log_ns, calls);
	struct usual usual;

	if (known + 1 < SLOW_NODES_LEAST || !is_known(&figures[i]))
		return false;
	usual = usual__of(log_ns, known);
	usual.deviation = fmax(usual.deviation, DEVIATION_LEAST * (1 + FEW / (double)known));
	own = log((double)value_of(&figures[i], percentile));
	if (!usual__is_exceeded(&usual, own))
		return false;
	*out = (struct slow_node){
		.percentile = percentile,
		.latency_ns = value_of(&figures[i], percentile),
		.usual_ns = (__u64)exp(usual.log_ns),
		.deviations = usual__deviations(&usual, own),
		.load = (double)figures[i].count / usual__median(calls, known),
	};
	out->by_load = usual__explains(out->load);
	return true;
}

bool slow_nodes__judge(const struct figures *figures, size_t n, size_t i, double *scratch,
		       struct slow_node *out)
{
	struct slow_node one;

	for (size_t k = 0; k < PERCENTILES; k++) {
		if (!exceeds(figures, n, i, percentiles[k], scratch, &one))
			return false;
		if (!k || one.deviations < out->deviations)
			*out = one;
	}
	return true;
}

/* A layer while it is searched. */
struct search {
	const struct nodes_layer *layer;
	struct name_list functions; /* in which nodes spent most time */
	struct tm_key *top;	    /* of each node: that function */
	__u64 *number;		    /* and its number in the list; NO_FUNCTION */
	struct figures *figures;    /* of one function, on each node */
	double *scratch;
	struct slow_node *found;
	bool *is_slow;
};

#define NO_FUNCTION (~0ULL)

/* The number of the function with the most time; -ENOENT: the node has none of the layer. */
static long find_top(const struct snapshot *snapshot, __u8 layer)
{
	__u32 highest = 0;
	long top = -ENOENT;
	__u64 *times;

	for (size_t i = 0; i < snapshot->n_series; i++) {
		const struct tm_key *key = &snapshot->series[i]->total.key;

		if (key->layer == layer && key->function > highest)
			highest = key->function;
	}
	times = calloc((size_t)highest + 1, sizeof(*times));
	if (!times)
		return -ENOMEM;
	for (size_t i = 0; i < snapshot->n_series; i++) {
		const struct tm_series *total = &snapshot->series[i]->total;

		if (total->key.layer == layer && !key__is_beside(&total->key))
			times[total->key.function] += series__own_ns(total);
	}
	for (__u32 i = 0; i <= highest; i++)
		if (times[i] && (top < 0 || times[i] > times[top]))
			top = (long)i;
	free(times);
	return top;
}

static int choose_function(struct search *search, size_t i)
{
	const struct report_part *part = search->layer->nodes[i].part;
	int layer = names__layer_number(part->run, search->layer->name), number;
	long top = layer < 0 ? -ENOENT : find_top(part->snapshot, (__u8)layer);
	const char *name;

	search->number[i] = NO_FUNCTION;
	if (top < 0)
		return top == -ENOMEM ? -ENOMEM : 0;
	search->top[i] = (struct tm_key){ .layer = (__u8)layer, .function = (__u32)top };
	name = names__function(part->run, &search->top[i]);
	number = name_list__number(&search->functions, name, NULL);
	if (number < 0)
		return number;
	search->number[i] = (__u64)number;
	return 0;
}

/* What a node has of the function of that name; it may have it under another number. */
static struct figures figures_of(const struct report_part *part, const char *layer_name,
				 const char *function)
{
	int layer = names__layer_number(part->run, layer_name);
	struct layer_sum sum = { 0 };

	for (size_t i = 0; i < part->snapshot->n_series && layer >= 0; i++) {
		const struct tm_key *key = &part->snapshot->series[i]->total.key;
		const char *name = key->layer == layer ? names__function(part->run, key) : NULL;

		if (!name || strcmp(name, function) != 0)
			continue;
		layer_sum__of(&sum, part->snapshot, (__u8)layer, key->function);
		break;
	}
	return sum.figures;
}

/* Those that spent most time in one function. */
static void search_function(struct search *search, __u64 number)
{
	const struct nodes_layer *layer = search->layer;
	const char *name = name_list__name(&search->functions, number);

	for (size_t i = 0; i < layer->n; i++)
		search->figures[i] = figures_of(layer->nodes[i].part, layer->name, name);
	for (size_t i = 0; i < layer->n; i++) {
		if (search->number[i] != number)
			continue;
		search->is_slow[i] = slow_nodes__judge(search->figures, layer->n, i,
						       search->scratch, &search->found[i]);
		search->found[i].node = &layer->nodes[i];
		search->found[i].function = search->top[i];
	}
}

static int open_search(struct search *search, const struct nodes_layer *layer)
{
	size_t n = layer->n + 1;

	*search = (struct search){
		.layer = layer,
		.top = calloc(n, sizeof(*search->top)),
		.number = calloc(n, sizeof(*search->number)),
		.figures = calloc(n, sizeof(*search->figures)),
		.scratch = calloc(2 * n, sizeof(*search->scratch)),
		.found = calloc(n, sizeof(*search->found)),
		.is_slow = calloc(n, sizeof(*search->is_slow)),
	};
	return search->top && search->number && search->figures && search->scratch &&
			       search->found && search->is_slow
		       ? 0
		       : -ENOMEM;
}

static void close_search(struct search *search)
{
	name_list__free(&search->functions);
	free(search->top);
	free(search->number);
	free(search->figures);
	free(search->scratch);
	free(search->found);
	free(search->is_slow);
}

int slow_nodes__find(const struct nodes_layer *layer, struct slow_node *out)
{
	struct search search;
	int ret = open_search(&search, layer), n = 0;

	for (size_t i = 0; i < layer->n && !ret; i++)
		ret = choose_function(&search, i);
	for (__u64 number = 0; number < search.functions.n && !ret; number++)
		search_function(&search, number);
	for (size_t i = 0; i < layer->n && !ret; i++)
		if (search.is_slow[i])
			out[n++] = search.found[i];
	close_search(&search);
	return ret ? ret : n;
}
