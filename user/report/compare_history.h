/* SPDX-License-Identifier: GPL-2.0-only */
/* What the functions of two runs took, interval by interval: what a comparison is made of. */
#ifndef USER_REPORT_COMPARE_HISTORY_H
#define USER_REPORT_COMPARE_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "report/compare_row.h"
#include "report/report.h"

/* Intervals that are kept of a run; when there are more, each two become one. */
#define COMPARE_INTERVALS 256

/* Times in ns. */
struct compare_amount {
	double calls, time;
	double below; /* of time, in system calls */
	double whole; /* with what is not the layer's own */
	/* whole, if the slowest calls were as the others; after compare_typical__estimate() the
	 * layer's own time alone */
	double typical;
};

struct compare_function {
	char *layer, *name;
	size_t order; /* of its layer */
	bool library, device;
	struct compare_amount
		*amounts[COMPARE_SIDES]; /* COMPARE_INTERVALS of them; NULL: no call */
	struct compare_amount all[COMPARE_SIDES];
	/* Per call, of both runs, for the comparison: compare_typical.h. */
	double expected, expected_typical;
	double vague; /* how far the logarithm of what is typical in one run to the other may be off
		       */
};

/* To be cleared at first. */
struct compare_history {
	struct compare_function *functions;
	size_t n, n_layers;
	size_t intervals[COMPARE_SIDES]; /* that are used, the last one maybe in part */

	void *known; /* private, as what follows: numbers of functions, tsearch(3) */
	size_t room;
	size_t each[COMPARE_SIDES]; /* so many were added to one */
	size_t in_last[COMPARE_SIDES];
};

/* As compare__add(). */
int compare_history__add(struct compare_history *history, enum compare_side side,
			 const struct report_run *run, const struct snapshot *snapshot);
void compare_history__free(struct compare_history *history);

void compare_amount__add(struct compare_amount *to, const struct compare_amount *from);

#endif
