/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds how good a sample of each job's operations on files is, where these are counted for slices
 * of the time (governor/trials.h). The kernel counts the system calls of each job that read and
 * write all the time (tmtrace/task_io.h): x of them in a slice in which y operations were counted.
 * What is told of the job is (sum of y) / (sum of x) of all its calls, which is the ratio estimator
 * of survey sampling; how far it may be off follows from how much this ratio differs between
 * slices.
 *
 * With e = y - x * (sum of y) / (sum of x), of n slices, the relative standard error is
 *
 *	sqrt(n / (n - 1) * (sum of e^2)) / (sum of y)
 *
 * (W. G. Cochran, Sampling Techniques, 3rd edition, 1977, section 6.4, without the correction for
 * what part of all was seen, which is small here). Where all slices are alike, nothing says that
 * the rest of the time was as they were: then it is 1 / (n + 2), after Laplace's rule of
 * succession.
 */
#ifndef USER_JOB_SAMPLING_H
#define USER_JOB_SAMPLING_H

#include <linux/types.h>

#include "tmtrace/series.h"

struct sampling;

/* NULL: no memory. */
struct sampling *sampling__new(void);
void sampling__free(struct sampling *sampling); /* NULL is fine */

/*
 * A slice ends: reads what came in it, of n series as they are in the kernel's map, and notes in
 * those that have what the kernel counts how large the errors are (enum tm_spread). The threads'
 * counts are to have been taken over just before. What was counted all the time since the last end
 * is a slice, too. 0, or -ENOMEM: that slice is in no job's errors.
 */
int sampling__end(struct sampling *sampling, struct tm_series *series, __u32 n);

/* For tests: the relative standard error, in ppm, of n pairs. */
__u32 sampling__spread_ppm(const double *x, const double *y, unsigned int n);

#endif
