/* SPDX-License-Identifier: GPL-2.0-only */
/* Several runs side by side: the nodes of a job, or its ranks. */
#ifndef USER_REPORT_NODES_H
#define USER_REPORT_NODES_H

#include "report/combined.h"
#include "report/layer_sum.h"
#include "report/table.h"

/* A part's sum of one layer. */
struct node {
	const struct report_part *part;
	struct layer_sum sum;
};

/* All parts' sums of a layer, the slowest first. */
struct nodes_layer {
	const char *name;
	const struct node *nodes;
	size_t n;
};

/* Of the times that they took: that in the middle, or between the two that are. */
__u64 nodes__median_ns(const struct nodes_layer *layer);

/*
 * Goes through the layers that any part has used, the kernel's last. 0, -ENOMEM, or what visit said
 * when it was not 0; then the rest is left out.
 */
int nodes__each(const struct report_part *parts, size_t n,
		int (*visit)(void *context, const struct nodes_layer *layer), void *context);

/*
 * For each layer a table with a row for each part, the slowest first, and which are the slowest and
 * the fastest. 0, -ENOMEM, or what writing says.
 */
int nodes__print(const struct table_options *options, const struct report_part *parts, size_t n,
		 struct error *err);

#endif
