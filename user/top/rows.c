// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "drain/formulas.h"
#include "drain/key_order.h"
#include "top/rows.h"

/* A leaf that is looked at, and the row that it is of. */
struct top_part {
	struct tm_key row;
	const struct top_leaf *leaf;
};

/* The latencies of a row's operations of one kind in the interval. */
struct latencies {
	__u64 count[TM_BUCKETS];
	__u64 min_ns, max_ns; /* 0 at first */
};

/* The row that is being made. */
struct maker {
	const struct top_view *view;
	const struct top_interval *interval;
	struct top_row *row;
	struct latencies latencies[TOP_FLOWS];
};

/* What a library does is all in the first flow. */
static enum flow flow_of(const struct tm_key *key)
{
	return key->layer >= TM_LAYER_USER ? FLOW_READ : flow__of(key->layer, key->function);
}

/* Bytes go where they belong; those that a copy moves from file to file are read and written. */
static void add_bytes(struct top_row *row, const struct tm_key *key, const struct figures *figures)
{
	bool vfs = key->layer == TM_LAYER_VFS;
	bool copies = vfs && key->function == TM_VFS_COPY_RANGE;

	if (flow_of(key) == FLOW_READ || copies || (vfs && key->function == TM_VFS_SPLICE))
		row->flows[TOP_READ].bytes += figures->bytes;
	if (flow_of(key) == FLOW_WRITE || copies)
		row->flows[TOP_WRITE].bytes += figures->bytes;
}

static void add_counts(struct top_row *row, const struct tm_key *key, const struct figures *figures)
{
	row->operations += figures->count;
	row->errors += figures->errors;
	row->in_flight += figures->in_flight;
	/* Of library calls, those inside others are in the others' total already. */
	row->busy_ns += layer__own_ns(key->layer, figures->total_ns, figures->self_ns);
	if (figures->timed && figures->max_ns > row->max_ns)
		row->max_ns = figures->max_ns;
}

static void add_latencies(struct maker *maker, const struct top_leaf *leaf, enum top_flow_kind kind)
{
	struct latencies *latencies = &maker->latencies[kind];

	top_interval__add_latency(maker->interval, leaf, latencies->count);
	if (!leaf->figures.timed)
		return;
	if (!latencies->max_ns || leaf->figures.min_ns < latencies->min_ns)
		latencies->min_ns = leaf->figures.min_ns;
	if (leaf->figures.max_ns > latencies->max_ns)
		latencies->max_ns = leaf->figures.max_ns;
}

/*
 * Of a job, each second once. Time in files is known by the operations, of all threads; without
 * that layer by what library calls spent in them.
 */
static void add_job_times(struct maker *maker, const struct tm_key *key,
			  const struct figures *figures)
{
	__u64 *times = maker->row->times_ns, device = figures->times_ns[TM_TIME_BLOCK], inside = 0;

	if (key->layer == TM_LAYER_VFS) {
		times[TOP_DEVICE] += device;
		times[TOP_FILES] += less(figures->total_ns, device);
	} else if (key->layer >= TM_LAYER_USER) {
		for (int i = 0; i < TM_OUTER_TIMES; i++)
			inside += figures->outer_ns[i];
		/* self adds up to the time of the outermost calls; the sum may be ahead of a part
		 */
		times[TOP_LIBRARIES] += figures->self_ns - inside;
		times[TOP_NETWORK] += figures->outer_ns[TM_TIME_NET];
		times[TOP_WAITING] += figures->outer_ns[TM_TIME_WAIT];
		if (!maker->view->vfs)
			times[TOP_FILES] += figures->outer_ns[TM_TIME_VFS];
	}
}

/* Of a function: what is in its calls, whatever is called inside, is theirs. */
static void add_times(struct top_row *row, const struct tm_key *key, const struct figures *figures)
{
	const struct time_parts parts = time_parts__of(figures->total_ns, figures->times_ns);
	__u64 *times = row->times_ns;

	if (key->layer == TM_LAYER_VFS) {
		times[TOP_DEVICE] += parts.disk;
		times[TOP_FILES] += less(figures->total_ns, parts.disk);
	} else if (key->layer == TM_LAYER_BLOCK) {
		times[TOP_WAITING] += figures->queue_ns;
		times[TOP_DEVICE] += figures->total_ns;
	} else {
		times[TOP_DEVICE] += parts.disk;
		times[TOP_FILES] += less(parts.files, parts.disk);
		times[TOP_NETWORK] += parts.net;
		times[TOP_WAITING] += parts.wait;
		times[TOP_LIBRARIES] += parts.rest;
	}
}

/* Are a layer's operations those of the view? With all layers it is the topmost of the kernel's. */
static bool is_counted(const struct top_view *view, __u8 layer)
{
	if (view->layer >= 0)
		return layer == view->layer;
	if (view->vfs)
		return layer == TM_LAYER_VFS;
	if (view->block)
		return layer == TM_LAYER_BLOCK;
	return layer >= TM_LAYER_USER;
}

static void add_to_job(struct maker *maker, const struct top_leaf *leaf)
{
	const struct tm_key *key = &leaf->key;

	if (is_counted(maker->view, key->layer)) {
		add_counts(maker->row, key, &leaf->figures);
		add_bytes(maker->row, key, &leaf->figures);
		if (flow_of(key) != FLOW_NEITHER)
			add_latencies(maker, leaf,
				      flow_of(key) == FLOW_READ ? TOP_READ : TOP_WRITE);
	}
	if (maker->view->layer == TOP_ALL_LAYERS || key->layer == maker->view->layer)
		add_job_times(maker, key, &leaf->figures);
}

/* Of operations that calls launched, the time is that of no thread. */
static void add_to_part(struct maker *maker, const struct top_leaf *leaf)
{
	const struct figures *figures = &leaf->figures;
	struct top_row *row = maker->row;
	bool beside = key__is_beside(&leaf->key);
	__u64 busy = row->busy_ns;

	add_counts(row, &leaf->key, figures);
	row->flows[TOP_READ].bytes += figures->bytes;
	add_latencies(maker, leaf, TOP_READ);
	if (maker->view->level == TOP_LEVEL_LAYERS)
		row->total_ns = row->busy_ns;
	else
		row->total_ns += figures->total_ns;
	if (beside)
		row->busy_ns = busy;
	else
		add_times(row, &leaf->key, figures);
}

static void find_percentiles(struct top_flow *flow, const struct latencies *latencies)
{
	struct histogram histogram = histogram__of(latencies->count);

	flow->timed = histogram__total(&histogram);
	flow->p50_ns = histogram__quantile(&histogram, 500, latencies->min_ns, latencies->max_ns);
	flow->p99_ns = histogram__quantile(&histogram, 990, latencies->min_ns, latencies->max_ns);
}

static void add_to_sum(struct top_row *sum, const struct top_row *row)
{
	for (int i = 0; i < TOP_FLOWS; i++) {
		sum->flows[i].bytes += row->flows[i].bytes;
		sum->flows[i].timed += row->flows[i].timed;
	}
	sum->operations += row->operations;
	sum->errors += row->errors;
	sum->in_flight += row->in_flight;
	sum->busy_ns += row->busy_ns;
	for (int i = 0; i < TOP_TIMES; i++)
		sum->times_ns[i] += row->times_ns[i];
}

static bool is_idle(const struct top_row *row)
{
	for (int i = 0; i < TOP_TIMES; i++)
		if (row->times_ns[i])
			return false;
	return !row->operations && !row->in_flight;
}

/* Is there anything that a job's row is made of? */
static bool is_of_jobs(const struct top_view *view, const struct tm_key *leaf)
{
	return is_counted(view, leaf->layer) ||
	       (view->layer == TOP_ALL_LAYERS && leaf->layer != TM_LAYER_BLOCK);
}

/* Of whatever job. */
static bool is_function(const struct top_view *view, const struct tm_key *leaf)
{
	struct tm_key key = *leaf;

	key.job = 0;
	return !key_order(&key, &view->function);
}

bool top_view__has(const struct top_view *view, const struct top_interval *interval,
		   const struct top_leaf *leaf)
{
	const struct tm_key *key = &leaf->key;
	const struct top_job *job;

	if (key__is_beside(key) && view->level < TOP_LEVEL_FUNCTIONS)
		return false;
	if (view->level == TOP_LEVEL_JOBS && !is_of_jobs(view, key))
		return false;
	if (view->level >= TOP_LEVEL_FUNCTIONS && key->layer != view->layer)
		return false;
	if (view->level == TOP_LEVEL_FUNCTION && !is_function(view, key))
		return false;
	if (view->whose == TOP_OF_ONE)
		return key->job == view->job;
	if (view->whose == TOP_OF_ALL)
		return true;
	job = top_interval__job(interval, key->job);
	return job && job->chosen;
}

static struct tm_key row_of(const struct top_view *view, const struct tm_key *leaf)
{
	struct tm_key key = *leaf;

	if (view->level == TOP_LEVEL_JOBS)
		return (struct tm_key){ .job = leaf->job };
	if (view->level == TOP_LEVEL_LAYERS)
		return (struct tm_key){ .layer = leaf->layer };
	key.job = 0;
	return key;
}

static int compare_parts(const void *left, const void *right)
{
	const struct top_part *a = left, *b = right;

	return key_order(&a->row, &b->row);
}

/* The leaves that are looked at, those of a row one after the other. */
static int choose_leaves(struct top_rows *rows, const struct top_view *view,
			 const struct top_interval *interval)
{
	bool in_order = true;

	rows->n_parts = 0;
	for (size_t i = 0; i < interval->n_leaves; i++) {
		const struct top_leaf *leaf = &interval->leaves[i];
		struct top_part part = { row_of(view, &leaf->key), leaf };

		if (!top_view__has(view, interval, leaf))
			continue;
		if (array__grow((void **)&rows->parts, &rows->parts_room, rows->n_parts,
				sizeof(*rows->parts)) < 0)
			return -ENOMEM;
		if (rows->n_parts && compare_parts(&rows->parts[rows->n_parts - 1], &part) > 0)
			in_order = false;
		rows->parts[rows->n_parts++] = part;
	}
	if (!in_order)
		qsort(rows->parts, rows->n_parts, sizeof(*rows->parts), compare_parts);
	return 0;
}

/* A row without figures. NULL: no memory. */
static struct top_row *begin_row(struct top_rows *rows, const struct top_view *view,
				 const struct top_interval *interval, const struct top_part *part)
{
	const struct top_job *job = NULL;
	struct top_row *row;

	if (array__grow((void **)&rows->rows, &rows->room, rows->n, sizeof(*rows->rows)) < 0)
		return NULL;
	row = &rows->rows[rows->n];
	*row = (struct top_row){ .key = part->row,
				 .name = part->leaf->name,
				 .processors = -1,
				 .memory_bytes = JOB_UNKNOWN };
	if (view->level == TOP_LEVEL_LAYERS)
		row->name = part->leaf->layer;
	if (view->level == TOP_LEVEL_JOBS)
		job = top_interval__job(interval, part->row.job);
	if (job) {
		row->name = job->name;
		row->processors = job->processors;
		row->memory_bytes = job->memory_bytes;
	}
	return row;
}

/* The row of the parts from first to end - 1. */
static int add_row(struct top_rows *rows, const struct top_view *view,
		   const struct top_interval *interval, size_t first, size_t end)
{
	struct maker maker = { view, interval,
			       begin_row(rows, view, interval, &rows->parts[first]) };

	if (!maker.row)
		return -ENOMEM;
	for (size_t i = first; i < end; i++) {
		maker.row->about |= rows->parts[i].leaf->about;
		if (view->level == TOP_LEVEL_JOBS)
			add_to_job(&maker, rows->parts[i].leaf);
		else
			add_to_part(&maker, rows->parts[i].leaf);
	}
	/* Parts of calls that are caught half counted. */
	if ((__s64)maker.row->times_ns[TOP_LIBRARIES] < 0)
		maker.row->times_ns[TOP_LIBRARIES] = 0;
	if (is_idle(maker.row))
		return 0;
	for (int i = 0; i < TOP_FLOWS; i++)
		find_percentiles(&maker.row->flows[i], &maker.latencies[i]);
	add_to_sum(&rows->sum, maker.row);
	rows->n++;
	return 0;
}

/* Where the parts of the row end that begins at first. */
static size_t end_of_row(const struct top_rows *rows, size_t first)
{
	size_t end = first + 1;

	while (end < rows->n_parts && !compare_parts(&rows->parts[first], &rows->parts[end]))
		end++;
	return end;
}

static void sum_up_node(struct top_rows *rows, const struct top_interval *interval)
{
	for (size_t i = 0; i < interval->n_leaves; i++) {
		const struct top_leaf *leaf = &interval->leaves[i];
		struct top_row *sum =
			leaf->key.layer == TM_LAYER_VFS ? &rows->files : &rows->devices;

		if (leaf->key.layer >= TM_LAYER_USER)
			continue;
		add_counts(sum, &leaf->key, &leaf->figures);
		add_bytes(sum, &leaf->key, &leaf->figures);
	}
}

int top_rows__collect(struct top_rows *rows, const struct top_view *view,
		      const struct top_interval *interval)
{
	int ret = choose_leaves(rows, view, interval);

	rows->n = 0;
	rows->sum = rows->files = rows->devices = (struct top_row){ 0 };
	sum_up_node(rows, interval);
	for (size_t first = 0, end; first < rows->n_parts && !ret; first = end) {
		end = end_of_row(rows, first);
		ret = add_row(rows, view, interval, first, end);
	}
	return ret;
}

static int compare_rows(const void *left, const void *right)
{
	const struct top_row *a = left, *b = right;

	return key_order(&a->key, &b->key);
}

int top_rows__add_idle(struct top_rows *rows, const struct top_view *view,
		       const struct top_interval *earlier, size_t ago)
{
	size_t known = rows->n;
	int ret = choose_leaves(rows, view, earlier);

	for (size_t first = 0; first < rows->n_parts && !ret; first = end_of_row(rows, first)) {
		const struct top_row wanted = { .key = rows->parts[first].row };

		if (known && bsearch(&wanted, rows->rows, known, sizeof(wanted), compare_rows))
			continue;
		if (begin_row(rows, view, earlier, &rows->parts[first]))
			rows->rows[rows->n++].idle = ago;
		else
			ret = -ENOMEM;
	}
	if (rows->n > known)
		qsort(rows->rows, rows->n, sizeof(*rows->rows), compare_rows);
	return ret;
}

void top_rows__free(struct top_rows *rows)
{
	free(rows->rows);
	free(rows->parts);
	*rows = (struct top_rows){ 0 };
}
