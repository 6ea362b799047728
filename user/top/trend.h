/* SPDX-License-Identifier: GPL-2.0-only */
/* What of a row was before, as a line of characters as high as it was much. */
#ifndef USER_TOP_TREND_H
#define USER_TOP_TREND_H

#include "top/columns.h"
#include "top/history.h"

/* How far back, in intervals; what is older is in the history, and no longer in trends. */
#define TOP_TREND_INTERVALS 120

struct top_trend {
	const struct top_history *history; /* up to the moment that is shown */
	const struct top_view *view;
	enum top_column column;
	double seconds; /* how far back */
	unsigned int cells;
};

/*
 * Fills values, cells for each of n rows, which are as top_rows__collect() makes them for the view:
 * the mean in the time of each cell, of latencies the largest; negative: not known. scratch: any
 * rows. 0, or -ENOMEM.
 */
int top_trend__collect(double *values, const struct top_trend *trend, const struct top_row *rows,
		       size_t n, struct top_rows *scratch);

/* Bytes that a line may take. */
#define TOP_TREND_ROOM(cells) (3 * (cells) + 1)
/* A character for each cell, up to the highest of these values; wide: the terminal shows UTF-8.
 * Returns out. */
const char *top_trend__text(char *out, const double *values, unsigned int cells, bool wide);

#endif
