// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "report/jobs.h"
#include "report/names.h"
#include "service/exposition.h"
#include "sink/utf8.h"

/* What a job did in a layer, since the begin. */
struct row {
	char *job;	   /* "": nobody's */
	const char *layer; /* of the run's names */
	__u64 calls, errors, bytes, ns;
	bool tells_reads; /* it is of files or devices: of libraries it is not known */
	__u64 read_bytes, written_bytes; /* where it tells them */
};

struct exposition {
	const struct service_status *status;
	struct row *rows; /* of a job one after the other */
	size_t n, room;
};

/* One figure of the rows. */
struct metric {
	const char *name;
	bool seconds; /* nanoseconds are written so */
	__u64 (*of)(const struct row *row);
	bool of_reads; /* only of rows that tell them */
};

static __u64 calls_of(const struct row *row)
{
	return row->calls;
}

static __u64 errors_of(const struct row *row)
{
	return row->errors;
}

static __u64 bytes_of(const struct row *row)
{
	return row->bytes;
}

static __u64 time_of(const struct row *row)
{
	return row->ns;
}

static __u64 read_of(const struct row *row)
{
	return row->read_bytes;
}

static __u64 written_of(const struct row *row)
{
	return row->written_bytes;
}

static const struct metric job_metrics[] = {
	{ "job_calls", .of = calls_of },
	{ "job_errors", .of = errors_of },
	{ "job_bytes", .of = bytes_of },
	{ "job_seconds", true, time_of }, /* of library calls the own part */
	{ "job_read_bytes", .of = read_of, .of_reads = true },
	{ "job_written_bytes", .of = written_of, .of_reads = true },
};

#define JOB_METRICS (sizeof(job_metrics) / sizeof(*job_metrics))

/* The row of a layer among those of the job that began at first; NULL without memory. */
static struct row *row_of(struct exposition *e, size_t first, const char *job, const char *layer)
{
	for (size_t i = first; i < e->n; i++)
		if (e->rows[i].layer == layer || !strcmp(e->rows[i].layer, layer))
			return &e->rows[i];
	if (array__grow((void **)&e->rows, &e->room, e->n, sizeof(*e->rows)) < 0)
		return NULL;
	e->rows[e->n] = (struct row){ .job = utf8__clean(job), .layer = layer };
	return e->rows[e->n].job ? &e->rows[e->n++] : NULL;
}

static void add(struct row *row, const struct tm_series *total)
{
	const struct tm_key *key = &total->key;
	bool vfs = key->layer == TM_LAYER_VFS, block = key->layer == TM_LAYER_BLOCK;

	row->tells_reads = vfs || block;
	row->calls += total->count;
	row->errors += total->errors;
	row->bytes += total->bytes;
	row->ns += vfs || block ? total->total_ns : total->self_ns;
	if ((vfs && key->function == TM_VFS_READ) || (block && key->function == TM_BLOCK_READ))
		row->read_bytes += total->bytes;
	if ((vfs && key->function == TM_VFS_WRITE) || (block && key->function == TM_BLOCK_WRITE))
		row->written_bytes += total->bytes;
}

static int add_job(struct exposition *e, const struct jobs *jobs)
{
	const struct report_run *run = e->status->run;
	const struct snapshot *snapshot = e->status->snapshot;
	const char *name = names__cgroup(run, jobs__id(jobs));
	bool others = jobs__id(jobs) == TM_JOB_OTHERS;
	char *job = strdup(others ? JOB_OTHERS : (name ? name : ""));
	size_t first = e->n;
	int rc = job ? 0 : -ENOMEM;

	for (size_t i = jobs->first; i < jobs->end && !rc; i++) {
		const struct tm_series *total = &snapshot->series[i]->total;
		const char *layer = names__layer(run, total->key.layer);
		struct row *row;

		if (!total->count || key__is_beside(&total->key) || !layer)
			continue;
		row = row_of(e, first, job, layer);
		if (row)
			add(row, total);
		else
			rc = -ENOMEM;
	}
	free(job);
	return rc;
}

struct exposition *exposition__new(const struct service_status *status)
{
	struct exposition *e = calloc(1, sizeof(*e));
	struct jobs jobs;

	if (!e)
		return NULL;
	e->status = status;
	jobs__start(&jobs, status->snapshot);
	while (jobs__next(&jobs)) {
		if (add_job(e, &jobs) == 0)
			continue;
		exposition__free(e);
		return NULL;
	}
	return e;
}

void exposition__free(struct exposition *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->n; i++)
		free(e->rows[i].job);
	free(e->rows);
	free(e);
}

static void put_value(FILE *out, __u64 value, bool seconds)
{
	if (seconds)
		fprintf(out, " %llu.%09llu\n", value / NS_PER_S, value % NS_PER_S);
	else
		fprintf(out, " %llu\n", value);
}

/* A figure of the node. */
struct node_value {
	const char *name;
	__u64 value;
	bool seconds; /* nanoseconds are written so */
};

static void write_node(const struct service_status *status, FILE *out)
{
	__u64 start_ns = status->run->start_ns, time_ns = status->snapshot->time_ns;
	struct status_sums sums;

	status__sum(&sums, status);
	const struct node_value values[] = {
		{ "uptime_seconds", time_ns > start_ns ? time_ns - start_ns : 0, true },
		{ "probes_armed", sums.states[PROBE_ARMED] },
		{ "probes_failed", sums.states[PROBE_FAILED] },
		{ "hits", sums.hits },
		{ "recorded", sums.recorded },
		{ "lost", sums.lost },
		{ "series", status->snapshot->n_series },
		{ "cpu_seconds", status->own_ns, true },
		{ "memory_bytes", status->cost.memory_bytes },
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		fprintf(out, "tmtrace.%s", values[i].name);
		put_value(out, values[i].value, values[i].seconds);
	}
}

/* A name that is one word: blanks, control characters and what is not ASCII as \xHH. */
static void put_word(FILE *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c <= ' ' || c > '~' || c == '\\' || c == '{' || c == '}')
			fprintf(out, "\\x%02x", c);
		else
			fputc(c, out);
	}
}

void exposition__write_pairs(void *exposition, FILE *out)
{
	const struct exposition *e = exposition;

	write_node(e->status, out);
	outputs__write_pairs(&e->status->outputs, out);
	for (size_t i = 0; i < e->n; i++) {
		for (size_t m = 0; m < JOB_METRICS; m++) {
			if (job_metrics[m].of_reads && !e->rows[i].tells_reads)
				continue;
			fprintf(out, "tmtrace.%s{", job_metrics[m].name);
			put_word(out, e->rows[i].job);
			fprintf(out, ",%s}", e->rows[i].layer);
			put_value(out, job_metrics[m].of(&e->rows[i]), job_metrics[m].seconds);
		}
	}
}
