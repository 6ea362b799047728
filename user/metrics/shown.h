/* SPDX-License-Identifier: GPL-2.0-only */
/* Which metrics a row has: one place for what they are called, and for how many samples it is. */
#ifndef USER_METRICS_SHOWN_H
#define USER_METRICS_SHOWN_H

#include "metrics/rows.h"
#include "metrics/text.h"

/* The most samples that a row of that key has. */
size_t metrics_shown__samples(const struct report_run *run, const struct metric_key *key);

/* A row with its labels. */
struct metrics_shown_row {
	const struct metric_row *row;
	char *labels;
};

/* Writes the metrics of all rows, which may be of any kinds. */
void metrics_shown__write(struct metrics_text *text, const struct report_run *run,
			  const struct metrics_shown_row *rows, size_t n);

/* Adds the labels of a row to those of its job. */
struct metrics_labels;
void metrics_shown__label(struct metrics_labels *labels, const struct report_run *run,
			  const struct metric_key *key);

#endif
