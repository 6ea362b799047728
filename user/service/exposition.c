// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "metrics/layers.h"
#include "report/jobs.h"
#include "report/names.h"
#include "service/exposition.h"

/* What a job did, since the begin. */
struct job_sums {
	char *name; /* "": nobody's */
	struct metrics_layers layers;
};

struct exposition {
	const struct service_status *status;
	struct job_sums *jobs;
	size_t n, room;
};

static int add_job(struct exposition *e, const struct jobs *jobs)
{
	const struct report_run *run = e->status->run;
	const struct snapshot *snapshot = e->status->snapshot;
	const char *name = names__cgroup(run, jobs__id(jobs));
	bool others = jobs__id(jobs) == TM_JOB_OTHERS;
	struct job_sums *sums;
	int ret = 0;

	if (array__grow((void **)&e->jobs, &e->room, e->n, sizeof(*e->jobs)) < 0)
		return -ENOMEM;
	sums = &e->jobs[e->n++];
	*sums = (struct job_sums){ utf8__clean(others ? JOB_OTHERS : name ? name : "") };
	if (!sums->name)
		return -ENOMEM;
	for (size_t i = jobs->first; i < jobs->end && !ret; i++) {
		const struct tm_series *total = &snapshot->series[i]->total;

		if (total->count && names__layer(run, total->key.layer))
			ret = metrics_layers__add_series(&sums->layers, total);
	}
	return ret;
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
	for (size_t i = 0; i < e->n; i++) {
		free(e->jobs[i].name);
		metrics_layers__free(&e->jobs[i].layers);
	}
	free(e->jobs);
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

static void write_layer(const struct exposition *e, const char *job,
			const struct metrics_layer *layer, FILE *out)
{
	const char *name = names__layer(e->status->run, layer->layer);
	__u64 value;

	for (size_t i = 0; i < METRICS_LAYER_SUMS; i++) {
		const struct metrics_layer_sum *sum = &metrics_layer_sums[i];

		if (!metrics_layer__get(layer, sum, &value))
			continue;
		fprintf(out, "tmtrace.%s{", sum->about.name + strlen(METRICS_LAYER_PREFIX));
		put_word(out, job);
		fprintf(out, ",%s}", name ? name : "?");
		put_value(out, value, sum->offset == offsetof(struct metrics_layer, own_ns));
	}
}

void exposition__write_pairs(void *exposition, FILE *out)
{
	const struct exposition *e = exposition;

	write_node(e->status, out);
	outputs__write_pairs(&e->status->outputs, out);
	for (size_t i = 0; i < e->n; i++)
		for (size_t j = 0; j < e->jobs[i].layers.n; j++)
			write_layer(e, e->jobs[i].name, &e->jobs[i].layers.at[j], out);
}
