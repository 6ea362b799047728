/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Estimates what a job did in gaps of the time, in which it was not counted, from what it did in
 * the slices between them. Only arithmetic.
 *
 * A gap is taken for as busy as the mean of the two slices beside it: gaps are long and slices are
 * short where a load is dear, so that the mean over all slices would be wrong whenever the load
 * changes. What came while nothing was parked says nothing of gaps, as probes are parked because
 * there is more. Where n gaps of the length T lie between slices with rates that differ by d, the
 * variance of the sum is the sum of T^2 * d^2 / 2 (successive differences, as for systematic
 * samples: W. G. Cochran, Sampling Techniques, 3rd edition, 1977, section 8.11).
 *
 * A thread that is probed is slower: where probes take the share f of its time, there is up to
 * 1 / (1 - f) as much in gaps. That is so of one that calls as fast as it can, which is what is too
 * dear mostly; of one that has a clock to go by nothing changes. So the former is taken for true,
 * and half the difference for an error, or what f may be wrong by, if that is more. Such errors do
 * not cancel out: they are added up over all gaps.
 *
 * No error is told as less than 1 / (n + 2) of n slices, as in sampling.h, and of a single slice
 * nothing is known: it is as large as the estimate. Where slices had no calls at all, it is what
 * one call in all of them would come to.
 */
#ifndef USER_JOB_GAP_ESTIMATE_H
#define USER_JOB_GAP_ESTIMATE_H

#include <stdbool.h>

enum gap_quantity {
	GAP_COUNT,
	GAP_BYTES,
	GAP_TIME,
	GAP_QUANTITIES,
};

/* What came of each quantity in a ns, and how wrong it may be for the probes' cost, relatively. */
struct gap_rates {
	double of[GAP_QUANTITIES];
	double doubt;
};

/* Times are in ns. All 0 to begin with. */
struct gap_estimate {
	/* Of gaps that are over: */
	double sum[GAP_QUANTITIES], variance[GAP_QUANTITIES], doubt[GAP_QUANTITIES];
	double gaps_ns;
	struct gap_rates left;	 /* of the last slice, */
	bool has_left;		 /* if the next gap follows it at once */
	double slices_ns, calls; /* of all slices */
	double n;		 /* their number */
};

struct gap_slice {
	double before_ns; /* the gap before it */
	double ns;	  /* its length; 0: the job was not there any more */
	double amount[GAP_QUANTITIES];
	double slowed; /* the share of its threads' time that probes took */
};

struct gap_total {
	bool known; /* false: there is no slice yet, and the following are 0 */
	double value[GAP_QUANTITIES], error[GAP_QUANTITIES];
};

/* A slice is over, and with it the gap before it. */
void gap_estimate__add(struct gap_estimate *estimate, const struct gap_slice *slice);

/* No gap followed the last slice: what comes before the next one is another load. */
void gap_estimate__part(struct gap_estimate *estimate);

/*
 * What all gaps come to now: those that are over, the one before the slice that is the last or goes
 * on just now (NULL: it is in the estimate), and one after it that lasts for open_ns so far.
 */
struct gap_total gap_estimate__tell(const struct gap_estimate *estimate,
				    const struct gap_slice *last, double open_ns);

#endif
