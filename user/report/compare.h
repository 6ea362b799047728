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

#include "report/report.h"

/* As a factor; changes of less are not told. */
#define COMPARE_LEAST 1.1
/* And of those that are told, all that the spread allows is more than this. */
#define COMPARE_SURELY 1.03

enum compare_side { COMPARE_BEFORE, COMPARE_AFTER, COMPARE_SIDES };

enum compare_verdict {
	COMPARE_SAME, /* the difference is noise, or small */
	COMPARE_SLOWER,
	COMPARE_SLOWER_BELOW, /* in the system calls that it makes, not in its own code */
	COMPARE_FASTER,
	COMPARE_FASTER_BELOW,
	COMPARE_COMMON,	 /* no more than all layers: the machine's doing, see compare_common.h */
	COMPARE_SLOWEST, /* the slowest 5 % of the calls alone are slower or faster */
	COMPARE_UNSURE,	 /* a large difference, but the runs are too short or too uneven to tell */
	COMPARE_ONLY_BEFORE, /* in most of that run; what came now and then is unsure */
	COMPARE_ONLY_AFTER,
};

/* A layer, or a function of it. Strings belong to the comparison. */
struct compare_row {
	const char *layer;
	const char *function; /* NULL: the layer as a whole */
	__u64 calls[COMPARE_SIDES];
	double mean_ns[COMPARE_SIDES]; /* time per call, as above */
	bool takes_processor;	       /* not a device */
	bool typical;		       /* ratio is of the fastest 95 % of the calls; else of all */
	double ratio;		       /* after to before: 1.3 is 30 % slower */
	double code_ratio; /* of a library the same of its own code, without system calls */
	double within;	   /* the true ratio is between ratio / within and ratio * within */
	enum compare_verdict verdict;
};

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
