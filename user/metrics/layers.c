// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "metrics/layers.h"

/* The layer's sums among the first n, which there is room behind. */
static struct metrics_layer *find_or_add(struct metrics_layer *layers, size_t *n, __u8 layer)
{
	for (size_t i = 0; i < *n; i++)
		if (layers[i].layer == layer)
			return &layers[i];
	layers[*n] = (struct metrics_layer){ .layer = layer };
	return &layers[(*n)++];
}

static void add(struct metrics_layer *layer, const struct metric_row *row)
{
	const struct metric_counters *counters = &row->sums.counters;
	const struct metric_key *key = &row->key;
	bool vfs = key->layer == TM_LAYER_VFS, block = key->layer == TM_LAYER_BLOCK;

	layer->calls += counters->count;
	layer->errors += counters->errors;
	layer->bytes += counters->bytes;
	layer->own_ns += counters->own_ns;
	if ((vfs && key->function == TM_VFS_READ) || (block && key->function == TM_BLOCK_READ))
		layer->read_bytes += counters->bytes;
	if ((vfs && key->function == TM_VFS_WRITE) || (block && key->function == TM_BLOCK_WRITE))
		layer->written_bytes += counters->bytes;
}

int metrics_layers__sum(struct metrics_layer **out, size_t *n, const struct metric_rows *rows)
{
	struct metrics_layer *layers = calloc(rows->n + 1, sizeof(*layers));

	if (!layers)
		return -ENOMEM;
	*out = layers;
	*n = 0;
	for (size_t i = 0; i < rows->n; i++)
		if (rows->rows[i].key.kind != METRIC_OPERATIONS &&
		    rows->rows[i].key.kind != METRIC_KERNEL_IO)
			add(find_or_add(layers, n, rows->rows[i].key.layer), &rows->rows[i]);
	return 0;
}
