/* SPDX-License-Identifier: GPL-2.0-only */
/* What a comparison of two runs says of a layer or a function. */
#ifndef USER_REPORT_COMPARE_ROW_H
#define USER_REPORT_COMPARE_ROW_H

#include <stdbool.h>
#include <linux/types.h>

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

#endif
