/* SPDX-License-Identifier: GPL-2.0-only */
/* The layers below each other. */
#ifndef USER_REPORT_TREE_H
#define USER_REPORT_TREE_H

#include "report/table.h"

/*
 * For each job its layers from the application down to the device, each with its own time and where
 * the time inside its calls went. 0, -ENOMEM, or what writing says.
 */
int tree__print(const struct table_options *options, const struct report_run *run,
		const struct snapshot *snapshot, struct error *err);

#endif
