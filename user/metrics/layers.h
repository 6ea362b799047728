/* SPDX-License-Identifier: GPL-2.0-only */
/* A job's rows, added up by layer. */
#ifndef USER_METRICS_LAYERS_H
#define USER_METRICS_LAYERS_H

#include "metrics/rows.h"

/* What a job did in a layer: calls, operations on files, requests to devices. */
struct metrics_layer {
	__u8 layer;
	__u64 calls, errors, bytes, own_ns;
	__u64 read_bytes, written_bytes; /* of the kernel's layers */
};

/* Operations, which are beside calls, are left out. 0 and *out, to be freed, or -ENOMEM. */
int metrics_layers__sum(struct metrics_layer **out, size_t *n, const struct metric_rows *rows);

#endif
