/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How sure a mean is that was taken over time, and whether two differ: the method of batch means.
 * Calls one after the other are not independent (a slow disk is slow for a while), so that the
 * spread of calls says too little; that of whole stretches of time, the batches, says it. (A. M.
 * Law, Simulation Modeling and Analysis, 9.5.3.)
 */
#ifndef USER_REPORT_BATCHES_H
#define USER_REPORT_BATCHES_H

#include <stddef.h>

/* Batches of a run. More say little more, and are too short to be independent. */
#define BATCHES 10

/* What an interval took, and what it was expected to take. */
struct batches_interval {
	double time, expected;
};

struct batches {
	double ratio; /* of all time to all that was expected; 0: nothing was */
	double error; /* standard error of its logarithm; without meaning below 2 batches */
	size_t n;
};

/* Of n intervals, in the order of time. */
struct batches batches__of(const struct batches_interval *intervals, size_t n);

/*
 * The logarithm of the ratio of b to a, and in *within how far it may be from the truth at most,
 * with 99 % confidence (Welch's interval). Infinite where there are too few batches.
 */
double batches__compare(const struct batches *a, const struct batches *b, double *within);

#endif
