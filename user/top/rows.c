// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/figures.h"
#include "report/names.h"
#include "sink/utf8.h"
#include "top/rows.h"

/* The latencies of a job's operations of one kind in the interval. */
struct latencies {
	__u64 count[TM_BUCKETS];
	__u64 max_ns; /* of all time */
};

/* The row that is being made. */
struct maker {
	const struct top_view *view;
	struct top_row *row;
	struct latencies latencies[TOP_FLOWS];
};

static bool is_read(const struct tm_key *key)
{
	switch (key->layer) {
	case TM_LAYER_VFS:
		return key->function == TM_VFS_READ;
	case TM_LAYER_BLOCK:
		return key->function == TM_BLOCK_READ;
	default:
		return true; /* a library's: all is one */
	}
}

static bool is_write(const struct tm_key *key)
{
	return (key->layer == TM_LAYER_VFS && key->function == TM_VFS_WRITE) ||
	       (key->layer == TM_LAYER_BLOCK && key->function == TM_BLOCK_WRITE);
}

/* Bytes go where they belong; those that a copy moves from file to file are read and written. */
static void add_bytes(struct top_row *row, const struct tm_key *key, const struct figures *figures)
{
	bool vfs = key->layer == TM_LAYER_VFS;
	bool copies = vfs && key->function == TM_VFS_COPY_RANGE;

	if (is_read(key) || copies || (vfs && key->function == TM_VFS_SPLICE))
		row->flows[TOP_READ].bytes += figures->bytes;
	if (is_write(key) || copies)
		row->flows[TOP_WRITE].bytes += figures->bytes;
}

static void add_counts(struct top_row *row, const struct tm_key *key, const struct figures *figures)
{
	row->operations += figures->count;
	row->errors += figures->errors;
	row->in_flight += figures->in_flight;
	/* Of library calls, those inside others are in the others' total already. */
	row->busy_ns += key->layer < TM_LAYER_USER ? figures->total_ns : figures->self_ns;
	add_bytes(row, key, figures);
}

static void add_latencies(struct maker *maker, const struct snapshot_series *now,
			  const struct snapshot_series *before)
{
	const struct tm_key *key = &now->total.key;
	struct latencies *latencies;

	if (!is_read(key) && !is_write(key))
		return;
	latencies = &maker->latencies[is_read(key) ? TOP_READ : TOP_WRITE];
	histogram__add(latencies->count, &now->latency);
	if (before)
		histogram__subtract(latencies->count, &before->latency);
	if (now->total.max_ns > latencies->max_ns)
		latencies->max_ns = now->total.max_ns;
}

static __u64 less(__u64 whole, __u64 part)
{
	return whole > part ? whole - part : 0;
}

/*
 * Time in files is known by the operations, of all threads; without that layer by what library
 * calls spent in them.
 */
static void add_times(struct maker *maker, const struct tm_key *key, const struct figures *figures)
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

/* Are a layer's operations those of the view? With all layers it is the topmost of the kernel's. */
static bool is_viewed(const struct top_view *view, __u8 layer)
{
	if (view->layer >= 0)
		return layer == view->layer;
	if (view->vfs)
		return layer == TM_LAYER_VFS;
	if (view->block)
		return layer == TM_LAYER_BLOCK;
	return layer >= TM_LAYER_USER;
}

static void add_series(struct maker *maker, struct top_rows *rows,
		       const struct snapshot_series *now, const struct snapshot_series *before)
{
	const struct tm_key *key = &now->total.key;
	struct figures figures;

	if ((before == now && !now->total.in_flight) || key__is_beside(key))
		return; /* nothing came; what stands beside calls is no sum of theirs */
	figures__interval(&figures, now, before);
	if (key->layer == TM_LAYER_VFS)
		add_counts(&rows->files, key, &figures);
	if (key->layer == TM_LAYER_BLOCK)
		add_counts(&rows->devices, key, &figures);
	if (is_viewed(maker->view, key->layer)) {
		add_counts(maker->row, key, &figures);
		add_latencies(maker, now, before);
	}
	if (maker->view->layer == TOP_ALL_LAYERS || key->layer == maker->view->layer)
		add_times(maker, key, &figures);
}

static void find_percentiles(struct top_flow *flow, const struct latencies *latencies)
{
	struct histogram histogram = histogram__of(latencies->count);

	flow->timed = histogram__total(&histogram);
	flow->p50_ns = histogram__quantile(&histogram, 500, 0, latencies->max_ns);
	flow->p99_ns = histogram__quantile(&histogram, 990, 0, latencies->max_ns);
}

/* One line, whatever it is called. */
static char *name_of(const struct report_run *run, __u64 job)
{
	const struct job_info *info = names__job(run, job);
	const char *path = names__cgroup(run, job);
	char *name, *printable;

	if (job_info__is_others(info))
		return strdup("(other jobs)");
	if (job_info__is_job(info)) {
		if (asprintf(&name, "%s job %s", info->kind, info->jobid) < 0)
			return NULL;
		printable = utf8__printable(name);
		free(name);
		return printable;
	}
	if (path)
		return utf8__printable(path);
	if (!job)
		return strdup("(not of one cgroup)");
	return asprintf(&name, "(cgroup %llu)", job) < 0 ? NULL : name;
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

/* The row of the series from first to end - 1, which are one job's. */
static int add_row(struct top_rows *rows, const struct top_view *view, const struct report_run *run,
		   const struct snapshot *snapshot, size_t first, size_t end)
{
	struct maker maker = { .view = view };
	struct top_row *row;

	if (array__grow((void **)&rows->rows, &rows->room, rows->n, sizeof(*rows->rows)) < 0)
		return -ENOMEM;
	row = maker.row = &rows->rows[rows->n];
	*row = (struct top_row){ .job = snapshot->series[first]->total.key.job };
	for (size_t i = first; i < end; i++)
		add_series(&maker, rows, snapshot->series[i], snapshot->before[i]);
	/* Parts of calls that are caught half counted. */
	if ((__s64)row->times_ns[TOP_LIBRARIES] < 0)
		row->times_ns[TOP_LIBRARIES] = 0;
	if (is_idle(row))
		return 0;
	for (int i = 0; i < TOP_FLOWS; i++)
		find_percentiles(&row->flows[i], &maker.latencies[i]);
	row->name = name_of(run, row->job);
	if (!row->name)
		return -ENOMEM;
	add_to_sum(&rows->sum, row);
	rows->n++;
	return 0;
}

static void clear(struct top_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		free(rows->rows[i].name);
	rows->n = 0;
	rows->sum = rows->files = rows->devices = (struct top_row){ 0 };
}

int top_rows__collect(struct top_rows *rows, const struct top_view *view,
		      const struct report_run *run, const struct snapshot *snapshot)
{
	int rc = 0;

	clear(rows);
	for (size_t first = 0, end; first < snapshot->n_series && !rc; first = end) {
		__u64 job = snapshot->series[first]->total.key.job;

		end = first;
		while (end < snapshot->n_series && snapshot->series[end]->total.key.job == job)
			end++;
		rc = add_row(rows, view, run, snapshot, first, end);
	}
	return rc;
}

void top_rows__free(struct top_rows *rows)
{
	clear(rows);
	free(rows->rows);
	*rows = (struct top_rows){ 0 };
}
