// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdlib.h>

#include "timeline/usual.h"

#define MAD_TO_DEVIATION 1.4826
/* Machines' clocks and caches vary by as much from one moment to the next. */
#define DEVIATION_LEAST 0.1
/* What stands out: tried on undisturbed runs, see docs/reports.md. */
#define DEVIATIONS 6.0
#define TIMES	   2.0
#define LOAD_MORE  1.5

static int compare_doubles(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

double usual__median(double *values, size_t n)
{
	if (!n)
		return 0;
	qsort(values, n, sizeof(*values), compare_doubles);
	return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

struct usual usual__of(double *log_ns, size_t n)
{
	struct usual usual = { .log_ns = usual__median(log_ns, n) };

	for (size_t i = 0; i < n; i++)
		log_ns[i] = fabs(log_ns[i] - usual.log_ns);
	usual.deviation = fmax(MAD_TO_DEVIATION * usual__median(log_ns, n), DEVIATION_LEAST);
	return usual;
}

double usual__deviations(const struct usual *usual, double log_ns)
{
	return (log_ns - usual->log_ns) / usual->deviation;
}

bool usual__is_longer(const struct usual *usual, double log_ns)
{
	return log_ns - usual->log_ns >= log(TIMES);
}

bool usual__is_exceeded(const struct usual *usual, double log_ns)
{
	return usual__deviations(usual, log_ns) >= DEVIATIONS && usual__is_longer(usual, log_ns);
}

bool usual__explains(double load)
{
	return load >= LOAD_MORE;
}
