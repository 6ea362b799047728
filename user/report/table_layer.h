/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of one layer of one job. */
#ifndef USER_REPORT_TABLE_LAYER_H
#define USER_REPORT_TABLE_LAYER_H

#include "report/estimate.h"
#include "report/figures.h"
#include "report/grid.h"
#include "report/report.h"

struct table_row {
	const struct snapshot_series *series;
	struct figures figures;
	struct estimate estimate; /* coverage is 1: of all there is, and nothing else is known */
};

/*
 * A grid with a row for each of rows, in their order. They are of one layer, and all are calls, or
 * all the same kind of what stands beside these. NULL without memory; else to be freed with
 * grid__free().
 */
struct grid *table_layer__grid(const struct report_run *run, const struct table_row *rows,
			       size_t n);

#endif
