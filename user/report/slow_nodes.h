/* SPDX-License-Identifier: GPL-2.0-only */
/* Nodes on which a layer was slower than on the others, and whether they had more to do. */
#ifndef USER_REPORT_SLOW_NODES_H
#define USER_REPORT_SLOW_NODES_H

#include "report/nodes.h"

struct slow_node {
	const struct node *node;
	__u64 p90_ns, usual_ns; /* its, and the median of the others' */
	double deviations;	/* how many usual deviations of the others it is above */
	double load;		/* its calls, as multiple of the median of the others' */
	bool by_load;		/* it had more to do: that explains it */
};

/* With fewer nodes nobody knows what is usual. */
#define SLOW_NODES_LEAST 3

#define SLOW_NODES_PERCENTILE 90

/*
 * Those of a layer, in its order, in out, which has room for all of its nodes; how many, or
 * -ENOMEM.
 */
int slow_nodes__find(const struct nodes_layer *layer, struct slow_node *out);

#endif
