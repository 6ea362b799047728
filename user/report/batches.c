// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>

#include "report/batches.h"

/* Student's t, two-sided 99 %, by degrees of freedom; beyond the last, the next lower one's. */
static double student(double freedom)
{
	static const double by_freedom[] = { INFINITY, 63.66, 9.925, 5.841, 4.604, 4.032, 3.707,
					     3.499,    3.355, 3.250, 3.169, 3.106, 3.055, 3.012,
					     2.977,    2.947, 2.921, 2.898, 2.878, 2.861, 2.845 };
	size_t last = sizeof(by_freedom) / sizeof(*by_freedom) - 1;

	return freedom >= (double)last ? by_freedom[last] : by_freedom[(size_t)freedom];
}

struct batches batches__of(const struct batches_interval *intervals, size_t n)
{
	struct batches_interval all = { 0 }, one = { 0 };
	double sum = 0, squares = 0, spread;
	struct batches out = { 0 };

	for (size_t i = 0; i < n; i++) {
		all.time += intervals[i].time;
		all.expected += intervals[i].expected;
	}
	if (all.expected <= 0 || all.time <= 0)
		return out;
	/* What is left at the end is less than a batch, and is in the ratio alone. */
	for (size_t i = 0; i < n; i++) {
		one.time += intervals[i].time;
		one.expected += intervals[i].expected;
		/* Sums in another order differ in the last digits. */
		if (one.expected * BATCHES < all.expected * (1 - 1e-9))
			continue;
		sum += one.time / one.expected;
		squares += one.time / one.expected * (one.time / one.expected);
		out.n++;
		one = (struct batches_interval){ 0 };
	}
	out.ratio = all.time / all.expected;
	if (out.n < 2)
		return out;
	spread = (squares - sum * sum / (double)out.n) / (double)(out.n - 1);
	/* Of the logarithm: the relative one, as long as it is small. */
	out.error = sqrt(fmax(spread, 0) / (double)out.n) / out.ratio;
	return out;
}

double batches__compare(const struct batches *a, const struct batches *b, double *within)
{
	double va = a->error * a->error, vb = b->error * b->error, freedom;

	*within = INFINITY;
	if (a->ratio <= 0 || b->ratio <= 0)
		return 0;
	if (a->n >= 2 && b->n >= 2) {
		/* Welch and Satterthwaite. */
		freedom = va + vb > 0 ? (va + vb) * (va + vb) /
						(va * va / (double)(a->n - 1) +
						 vb * vb / (double)(b->n - 1))
				      : (double)(a->n + b->n - 2);
		*within = student(freedom) * sqrt(va + vb);
	}
	return log(b->ratio / a->ratio);
}
