/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What has changed between two runs, and what is noise. Layers and functions are the same where
 * they have the same names.
 *
 * Compared is the time per call of a layer itself: of a library without the traced calls inside, of
 * files without the wait for the device, of devices all. What calls move, and how many
 * of which function there are, may differ: a layer is as slow as its functions are in the mean,
 * each weighted with its calls.
 *
 * It is the time without what the slowest 5 % of the calls took more, because they often waited for
 * a processor (compare_typical.h); when the time of all has changed and that has not, it is told,
 * but as that.
 *
 * A change is told where it is larger than COMPARE_LEAST, and surely one at all, COMPARE_SURELY: by
 * the spread over time within both runs, with 99 % confidence (batches.h). What differs from run to
 * run but not within one, as a processor's clock, is not seen by that; where all layers that take a
 * processor have changed in the same direction, a layer must have changed by more than they
 * (compare_common.h).
 */
#ifndef USER_REPORT_COMPARE_H
#define USER_REPORT_COMPARE_H

#include "report/compare_row.h"
#include "report/report.h"

struct compare;

struct compare *compare__new(void);	     /* NULL: out of memory */
void compare__free(struct compare *compare); /* NULL is fine */

/*
 * Adds what came in an interval of a run: snapshot is one with the one before, as a recording's
 * steps are. To be called for each in the order of time; names are copied. 0 or -ENOMEM.
 */
int compare__add(struct compare *compare, enum compare_side side, const struct report_run *run,
		 const struct snapshot *snapshot);

/*
 * The result, once, when all was added: layer by layer in the order of their first call, each
 * followed by its functions, those first whose change took most time. *n rows, which belong to the
 * comparison. 0 or -ENOMEM.
 */
int compare__finish(struct compare *compare, const struct compare_row **rows, size_t *n);

#endif
