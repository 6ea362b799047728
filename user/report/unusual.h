/* SPDX-License-Identifier: GPL-2.0-only */
/* What is unusual in a run: periods in which a layer was slow, nodes on which it is. */
#ifndef USER_REPORT_UNUSUAL_H
#define USER_REPORT_UNUSUAL_H

#include "report/slow_nodes.h"
#include "report/table.h"
#include "timeline/slow_periods.h"

/*
 * Calls visit for each slow period of each timeline. 0, -ENOMEM, or what visit said when it was not
 * 0; then the rest is left out.
 */
int unusual__each_period(const struct snapshot *snapshot,
			 int (*visit)(void *context, const struct timeline *timeline,
				      const struct slow_period *period),
			 void *context);

/* The same for each slow node of each layer. */
int unusual__each_node(const struct report_part *parts, size_t n,
		       int (*visit)(void *context, const struct nodes_layer *layer,
				    const struct slow_node *node),
		       void *context);

/* A section with a line for each; nothing where there is none. parts: NULL, or several nodes. */
int unusual__print(const struct table_options *options, const struct report_run *run,
		   const struct snapshot *snapshot, const struct report_part *parts, size_t n);

#endif
