// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/array.h"
#include "drain/formulas.h"
#include "metrics/layers.h"

#define SUM(member) offsetof(struct metrics_layer, member)

const struct metrics_layer_sum metrics_layer_sums[METRICS_LAYER_SUMS] = {
	{ { "tmtrace_job_calls", NULL, METRICS_COUNTER,
	    "Calls, operations on files or requests to devices of a job in a layer." },
	  SUM(calls) },
	{ { "tmtrace_job_errors", NULL, METRICS_COUNTER, "Those that failed." }, SUM(errors) },
	{ { "tmtrace_job_bytes", "bytes", METRICS_COUNTER, "Bytes that they moved." }, SUM(bytes) },
	{ { "tmtrace_job_seconds", "seconds", METRICS_COUNTER,
	    "Time that they took, of library calls without traced calls inside." },
	  SUM(own_ns) },
	{ { "tmtrace_job_read_bytes", "bytes", METRICS_COUNTER,
	    "Bytes that were read, of files or devices." },
	  SUM(read_bytes),
	  true },
	{ { "tmtrace_job_written_bytes", "bytes", METRICS_COUNTER,
	    "Bytes that were written, to files or devices." },
	  SUM(written_bytes),
	  true },
};

bool metrics_layer__get(const struct metrics_layer *layer, const struct metrics_layer_sum *sum,
			__u64 *value)
{
	*value = *(const __u64 *)((const char *)layer + sum->offset);
	return layer->layer < TM_LAYER_USER || !sum->of_reads;
}

/* Adds to a layer's numbers; bytes go to what a function of it does. */
static int add_amount(struct metrics_layers *layers, const struct metrics_layer *amount,
		      __u32 function)
{
	enum flow flow = flow__of(amount->layer, function);
	struct metrics_layer *layer;
	size_t i = 0;

	while (i < layers->n && layers->at[i].layer != amount->layer)
		i++;
	if (i == layers->n) {
		if (array__grow((void **)&layers->at, &layers->room, i, sizeof(*layers->at)) < 0)
			return -ENOMEM;
		layers->at[layers->n++] = (struct metrics_layer){ .layer = amount->layer };
	}
	layer = &layers->at[i];
	layer->calls += amount->calls;
	layer->errors += amount->errors;
	layer->bytes += amount->bytes;
	layer->own_ns += amount->own_ns;
	layer->read_bytes += flow == FLOW_READ ? amount->bytes : 0;
	layer->written_bytes += flow == FLOW_WRITE ? amount->bytes : 0;
	return 0;
}

int metrics_layers__add_rows(struct metrics_layers *layers, const struct metric_rows *rows)
{
	int ret = 0;

	for (size_t i = 0; i < rows->n && !ret; i++) {
		const struct metric_counters *counters = &rows->rows[i].sums.counters;
		const struct metric_key *key = &rows->rows[i].key;
		const struct metrics_layer amount = {
			.layer = key->layer,
			.calls = counters->count,
			.errors = counters->errors,
			.bytes = counters->bytes,
			.own_ns = counters->own_ns,
		};

		if (key->kind != METRIC_OPERATIONS && key->kind != METRIC_KERNEL_IO)
			ret = add_amount(layers, &amount, key->function);
	}
	return ret;
}

int metrics_layers__add_series(struct metrics_layers *layers, const struct tm_series *series)
{
	const struct metrics_layer amount = {
		.layer = series->key.layer,
		.calls = series->count,
		.errors = series->errors,
		.bytes = series->bytes,
		.own_ns = series__own_ns(series),
	};

	return key__is_beside(&series->key) ? 0 : add_amount(layers, &amount, series->key.function);
}

void metrics_layers__free(struct metrics_layers *layers)
{
	free(layers->at);
	*layers = (struct metrics_layers){ 0 };
}
