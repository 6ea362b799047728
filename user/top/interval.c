// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"
#include "drain/key_order.h"
#include "top/interval.h"

struct top_interval *top_interval__allocate(struct top_names *names)
{
	struct top_interval *interval = calloc(1, sizeof(*interval));

	if (interval)
		*interval = (struct top_interval){ .users = 1, .names = names };
	return interval;
}

struct top_interval *top_interval__share(struct top_interval *interval)
{
	interval->users++;
	return interval;
}

void top_interval__give(struct top_interval *interval)
{
	if (!interval || --interval->users)
		return;
	for (size_t i = 0; i < interval->n_jobs; i++)
		top_names__give(interval->names, interval->jobs[i].name);
	for (size_t i = 0; i < interval->n_leaves; i++) {
		top_names__give(interval->names, interval->leaves[i].layer);
		top_names__give(interval->names, interval->leaves[i].name);
	}
	free(interval->jobs);
	free(interval->leaves);
	free(interval->counts);
	free(interval);
}

/* As bsearch(3) compares a key with what has one. */
static int compare_job(const void *key, const void *item)
{
	const __u64 *job = key;
	const struct top_job *of = item;

	return *job < of->job ? -1 : *job > of->job;
}

static int compare_leaf(const void *key, const void *item)
{
	const struct top_leaf *leaf = item;

	return key_order(key, &leaf->key);
}

const struct top_job *top_interval__job(const struct top_interval *interval, __u64 job)
{
	if (!interval->n_jobs)
		return NULL;
	return bsearch(&job, interval->jobs, interval->n_jobs, sizeof(*interval->jobs),
		       compare_job);
}

const struct top_leaf *top_interval__leaf(const struct top_interval *interval,
					  const struct tm_key *key)
{
	if (!interval->n_leaves)
		return NULL;
	return bsearch(key, interval->leaves, interval->n_leaves, sizeof(*interval->leaves),
		       compare_leaf);
}

void top_interval__add_latency(const struct top_interval *interval, const struct top_leaf *leaf,
			       __u64 count[TM_BUCKETS])
{
	for (__u32 i = 0; i < leaf->n_buckets; i++)
		count[leaf->first + i] += interval->counts[leaf->counts + i];
}

size_t top_interval__size(const struct top_interval *interval)
{
	return sizeof(*interval) + interval->jobs_room * sizeof(*interval->jobs) +
	       interval->leaves_room * sizeof(*interval->leaves) +
	       interval->counts_room * sizeof(*interval->counts);
}

int top_interval__put_latency(struct top_interval *interval, const __u64 count[TM_BUCKETS])
{
	struct top_leaf *leaf = &interval->leaves[interval->n_leaves - 1];
	const struct histogram histogram = histogram__of(count);

	leaf->first = histogram.first;
	leaf->n_buckets = histogram.n;
	leaf->counts = interval->n_counts;
	for (__u32 i = 0; i < histogram.n; i++) {
		__u64 n = histogram.count[i];

		if (array__grow((void **)&interval->counts, &interval->counts_room,
				interval->n_counts, sizeof(*interval->counts)) < 0)
			return -ENOMEM;
		interval->counts[interval->n_counts++] = n < UINT32_MAX ? (__u32)n : UINT32_MAX;
	}
	return 0;
}

int top_interval__put_leaf(struct top_interval *interval, const struct top_leaf *leaf)
{
	if (array__grow((void **)&interval->leaves, &interval->leaves_room, interval->n_leaves,
			sizeof(*interval->leaves)) < 0)
		return -ENOMEM;
	interval->leaves[interval->n_leaves++] = *leaf;
	return leaf->layer && leaf->name ? 0 : -ENOMEM;
}

int top_interval__put_job(struct top_interval *interval, const struct top_job *job)
{
	if (array__grow((void **)&interval->jobs, &interval->jobs_room, interval->n_jobs,
			sizeof(*interval->jobs)) < 0)
		return -ENOMEM;
	interval->jobs[interval->n_jobs++] = *job;
	return job->name ? 0 : -ENOMEM;
}

/* Room that was not needed is given back: many of them are kept. */
static void fit(void **items, size_t *room, size_t n, size_t size)
{
	void *smaller = n ? reallocarray(*items, n, size) : NULL;

	if (!smaller)
		return;
	*items = smaller;
	*room = n;
}

void top_interval__fit(struct top_interval *interval)
{
	fit((void **)&interval->jobs, &interval->jobs_room, interval->n_jobs,
	    sizeof(*interval->jobs));
	fit((void **)&interval->leaves, &interval->leaves_room, interval->n_leaves,
	    sizeof(*interval->leaves));
	fit((void **)&interval->counts, &interval->counts_room, interval->n_counts,
	    sizeof(*interval->counts));
}

static double weighted(double a, double a_seconds, double b, double b_seconds)
{
	if (a < 0 || b < 0 || a_seconds + b_seconds <= 0)
		return -1;
	return (a * a_seconds + b * b_seconds) / (a_seconds + b_seconds);
}

static struct top_cost merge_costs(const struct top_interval *a, const struct top_interval *b)
{
	struct top_cost cost = b->cost;

	cost.own_share = weighted(a->cost.own_share, a->seconds, b->cost.own_share, b->seconds);
	cost.probes_share =
		weighted(a->cost.probes_share, a->seconds, b->cost.probes_share, b->seconds);
	cost.hits_per_s = weighted(a->cost.hits_per_s, a->seconds, b->cost.hits_per_s, b->seconds);
	return cost;
}

/* Jobs of both, by their numbers; what is known of one is what was known later. */
static int merge_jobs(struct top_interval *to, const struct top_interval *a,
		      const struct top_interval *b)
{
	size_t i = 0, j = 0;
	int ret = 0;

	while ((i < a->n_jobs || j < b->n_jobs) && !ret) {
		int order = i == a->n_jobs   ? 1
			    : j == b->n_jobs ? -1
					     : compare_job(&a->jobs[i].job, &b->jobs[j]);
		struct top_job job = order < 0 ? a->jobs[i] : b->jobs[j];

		if (!order)
			job.processors = weighted(a->jobs[i].processors, a->seconds,
						  b->jobs[j].processors, b->seconds);
		i += order <= 0;
		j += order >= 0;
		job.name = top_names__share(job.name);
		ret = top_interval__put_job(to, &job);
	}
	return ret;
}

/* What has come in both; open is what was open at the end of the second. */
static int merge_leaves(struct top_interval *to, const struct top_interval *a,
			const struct top_interval *b)
{
	size_t i = 0, j = 0;
	int ret = 0;

	while ((i < a->n_leaves || j < b->n_leaves) && !ret) {
		int order = i == a->n_leaves   ? 1
			    : j == b->n_leaves ? -1
					       : key_order(&a->leaves[i].key, &b->leaves[j].key);
		struct top_leaf leaf = order < 0 ? a->leaves[i] : b->leaves[j];
		__u64 count[TM_BUCKETS] = { 0 }, in_flight = leaf.figures.in_flight;

		if (order <= 0)
			top_interval__add_latency(a, &a->leaves[i], count);
		if (order >= 0)
			top_interval__add_latency(b, &b->leaves[j], count);
		if (!order)
			figures__add(&leaf.figures, &a->leaves[i].figures);
		leaf.about |= !order && a->leaves[i].about;
		leaf.figures.in_flight = order < 0 ? 0 : in_flight;
		i += order <= 0;
		j += order >= 0;
		leaf.layer = top_names__share(leaf.layer);
		leaf.name = top_names__share(leaf.name);
		ret = top_interval__put_leaf(to, &leaf);
		if (!ret)
			ret = top_interval__put_latency(to, count);
	}
	return ret;
}

int top_interval__merge(struct top_interval **out, const struct top_interval *a,
			const struct top_interval *b)
{
	struct top_interval *interval = top_interval__allocate(b->names);
	int ret = interval ? 0 : -ENOMEM;

	if (ret < 0)
		return ret;
	interval->end_ns = b->end_ns;
	interval->seconds = a->seconds + b->seconds;
	interval->cost = merge_costs(a, b);
	ret = merge_jobs(interval, a, b);
	if (!ret)
		ret = merge_leaves(interval, a, b);
	if (ret < 0) {
		top_interval__give(interval);
		return ret;
	}
	top_interval__fit(interval);
	*out = interval;
	return 0;
}
