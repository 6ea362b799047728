// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "drain/key_order.h"
#include "top/trend.h"

#define HEIGHTS 8

/* What is put together: for each row and cell. */
struct sums {
	const struct top_trend *trend;
	double *values, *seconds; /* of how much of a cell it is known */
	double begin, width;	  /* of the first cell, in seconds; of each */
};

static int compare_rows(const void *left, const void *right)
{
	const struct top_row *a = left, *b = right;

	return key_order(&a->key, &b->key);
}

/* A row's value from start to end goes to the cells that it reaches into. */
static void put_value(struct sums *sums, size_t row, double value, double start, double end)
{
	unsigned int cells = sums->trend->cells;
	bool adds_up = top_column__adds_up(sums->trend->column);

	for (unsigned int i = 0; i < cells; i++) {
		double from = fmax(start, sums->begin + i * sums->width);
		double to = fmin(end, sums->begin + (i + 1) * sums->width);
		double *sum = &sums->values[row * cells + i];

		if (to <= from)
			continue;
		sums->seconds[row * cells + i] += to - from;
		*sum = adds_up ? *sum + value * (to - from) : fmax(*sum, value);
	}
}

/* What each row was in an interval: nothing where it is not there. */
static int add_interval(struct sums *sums, const struct top_interval *interval,
			const struct top_row *rows, size_t n, struct top_rows *scratch)
{
	const struct top_table table = { sums->trend->view, &scratch->sum, interval->seconds };
	double end = (double)interval->end_ns / NS_PER_S;
	int ret = top_rows__collect(scratch, sums->trend->view, interval);

	for (size_t i = 0; i < n && !ret; i++) {
		const struct top_row *row = NULL;
		double value = 0;

		if (scratch->n)
			row = bsearch(&rows[i], scratch->rows, scratch->n, sizeof(*row),
				      compare_rows);
		if (row)
			value = fmax(top_column__measure(sums->trend->column, &table, row), 0);
		put_value(sums, i, value, end - interval->seconds, end);
	}
	return ret;
}

/* Means of what was summed up. */
static void finish_sums(struct sums *sums, size_t n)
{
	bool adds_up = top_column__adds_up(sums->trend->column);

	for (size_t i = 0; i < n; i++) {
		if (sums->seconds[i] <= 0)
			sums->values[i] = -1;
		else if (adds_up)
			sums->values[i] /= sums->seconds[i];
	}
}

int top_trend__collect(double *values, const struct top_trend *trend, const struct top_row *rows,
		       size_t n, struct top_rows *scratch)
{
	const struct top_interval *newest = top_history__newest(trend->history);
	size_t n_values = n * trend->cells;
	struct sums sums = { trend, values, calloc(n_values + 1, sizeof(double)) };
	int ret = sums.seconds ? 0 : -ENOMEM;

	memset(values, 0, n_values * sizeof(*values));
	sums.width = trend->seconds / trend->cells;
	/* Cells begin at multiples of their width, so that they stay as they are while time goes
	 * on. */
	if (newest)
		sums.begin = (ceil((double)newest->end_ns / NS_PER_S / sums.width) - trend->cells) *
			     sums.width;
	for (size_t i = top_history__n(trend->history); i-- > 0 && !ret;) {
		const struct top_interval *interval = top_history__at(trend->history, i);

		if ((double)interval->end_ns / NS_PER_S <= sums.begin)
			break;
		if (interval->seconds > 0)
			ret = add_interval(&sums, interval, rows, n, scratch);
	}
	if (!ret)
		finish_sums(&sums, n_values);
	free(sums.seconds);
	return ret;
}

const char *top_trend__text(char *out, const double *values, unsigned int cells, bool wide)
{
	static const char *const blocks[HEIGHTS] = { "\u2581", "\u2582", "\u2583", "\u2584",
						     "\u2585", "\u2586", "\u2587", "\u2588" };
	static const char *const plain[HEIGHTS] = { ".", ":", "-", "=", "+", "*", "#", "@" };
	double most = 0;
	char *at = out;

	for (unsigned int i = 0; i < cells; i++)
		most = fmax(most, values[i]);
	for (unsigned int i = 0; i < cells; i++) {
		int height = values[i] > 0 ? (int)(values[i] / most * HEIGHTS) : -1;

		if (height >= HEIGHTS)
			height = HEIGHTS - 1;
		at = stpcpy(at, height < 0 ? " " : (wide ? blocks : plain)[height]);
	}
	*at = '\0';
	return out;
}
