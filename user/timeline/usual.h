/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is usual among latencies, and which stand out. They are compared as logarithms: the usual
 * one is their median, the usual deviation 1.4826 times the median of their absolute deviations,
 * which is that of a normal distribution and does not see what a minority does (P. J. Huber,
 * Robust Statistics, 5.1).
 */
#ifndef USER_TIMELINE_USUAL_H
#define USER_TIMELINE_USUAL_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

struct usual {
	double log_ns, deviation;
};

/* Of n values, in any order, which is changed; 0 of none. */
double usual__median(double *values, size_t n);

/* Of n logarithms of latencies in ns, which are changed. */
struct usual usual__of(double *log_ns, size_t n);

/* How many usual deviations a latency is above the usual one. */
double usual__deviations(const struct usual *usual, double log_ns);
/* Is it so many times as long? */
bool usual__is_longer(const struct usual *usual, double log_ns);
/* Is it so far above it, and so many times as long, that chance does not explain it? */
bool usual__is_exceeded(const struct usual *usual, double log_ns);

/* Does a load of so many times the usual one explain that it takes longer? */
bool usual__explains(double load);

#endif
