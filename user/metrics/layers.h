/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What jobs did, layer by layer: for programs that collect few numbers of each job, as lines of
 * Prometheus or as pairs.
 */
#ifndef USER_METRICS_LAYERS_H
#define USER_METRICS_LAYERS_H

#include "metrics/rows.h"
#include "metrics/text.h"

/* What a job did in a layer: calls, operations on files, requests to devices. */
struct metrics_layer {
	__u8 layer;
	__u64 calls, errors, bytes, own_ns;
	__u64 read_bytes, written_bytes; /* of the kernel's layers */
};

/* The layers of a job, of which any is used; all 0 at first, ended by metrics_layers__free(). */
struct metrics_layers {
	struct metrics_layer *at;
	size_t n, room;
};

/* One of the numbers. */
struct metrics_layer_sum {
	struct metrics_about about; /* its name begins with METRICS_LAYER_PREFIX */
	size_t offset;		    /* in struct metrics_layer */
	bool of_reads;		    /* libraries have it not: which calls read is not known */
};

#define METRICS_LAYER_PREFIX "tmtrace_"
#define METRICS_LAYER_SUMS   6

extern const struct metrics_layer_sum metrics_layer_sums[METRICS_LAYER_SUMS];

/* false: a layer of its kind has no such number. Times are in ns. */
bool metrics_layer__get(const struct metrics_layer *layer, const struct metrics_layer_sum *sum,
			__u64 *value);

/* Adds a job's rows; operations, which are beside calls, are left out. 0 or -ENOMEM. */
int metrics_layers__add_rows(struct metrics_layers *layers, const struct metric_rows *rows);
/* Adds a series, unless it is beside calls. The same. */
int metrics_layers__add_series(struct metrics_layers *layers, const struct tm_series *series);
void metrics_layers__free(struct metrics_layers *layers);

#endif
