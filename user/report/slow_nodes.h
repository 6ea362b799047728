/* SPDX-License-Identifier: GPL-2.0-only */
/* Nodes on which a layer was slower than on the others, and whether they had more to do. */
#ifndef USER_REPORT_SLOW_NODES_H
#define USER_REPORT_SLOW_NODES_H

#include "report/nodes.h"

struct slow_node {
	const struct node *node;
	struct tm_key
		function; /* in which the node spent most of the layer's time: its own number */
	int percentile;	  /* at which it stands out least */
	__u64 latency_ns, usual_ns; /* its, and the median of the others' */
	double deviations;	    /* how many usual deviations of the others it is above */
	double load;		    /* its calls, as multiple of the median of the others' */
	bool by_load;		    /* it had more to do: that explains it */
};

/* With fewer nodes nobody knows what is usual. */
#define SLOW_NODES_LEAST 3

/*
 * Those of a layer, in its order, in out, which has room for all of its nodes; how many, or
 * -ENOMEM. They stand out (timeline/usual.h) at the median and at the 90th percentile of the
 * function in which they spent most time.
 */
int slow_nodes__find(const struct nodes_layer *layer, struct slow_node *out);

/*
 * Does number i of n figures of the same on as many nodes stand out? Then *out says how, but for
 * node and function. scratch: room for two times n numbers.
 */
bool slow_nodes__judge(const struct figures *figures, size_t n, size_t i, double *scratch,
		       struct slow_node *out);

#endif
