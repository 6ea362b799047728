// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>

#include "report/compare_typical.h"

/* A typical time is the layer's own if so much of it is. */
#define NEARLY_ALL 0.95

/* Of two runs' means and a slope, no error is known with fewer. */
#define LEAST_INTERVALS 4

/* How far the layer's part of the time may be from its part of what the slowest calls take more,
 * before anything else is known: a standard error. */
#define GUESS_ERROR 0.2

/* Standard errors of 99 % confidence, of some 16 intervals. */
#define SURE 2.9

/* Sums over the intervals of both runs, each run around its own mean. */
struct moments {
	double xx, xy, yy;
	double calls;
	size_t n;
};

/* A part of the excess, and its standard error. */
struct part {
	double part, error;
};

/* What the slowest calls took more than the others, per call. */
static double excess_of(const struct compare_amount *amount)
{
	return (amount->whole - amount->typical) / amount->calls;
}

static void add_run(struct moments *moments, const struct compare_amount *amounts, size_t n,
		    const struct compare_amount *all)
{
	double x = excess_of(all), y = all->time / all->calls;

	for (size_t i = 0; i < n; i++) {
		double dx, dy;

		if (amounts[i].calls <= 0)
			continue;
		dx = excess_of(&amounts[i]) - x;
		dy = amounts[i].time / amounts[i].calls - y;
		moments->xx += amounts[i].calls * dx * dx;
		moments->xy += amounts[i].calls * dx * dy;
		moments->yy += amounts[i].calls * dy * dy;
		moments->n++;
	}
}

/* The mean of two, each weighted by how well it is known. */
static struct part together(struct part a, struct part b)
{
	double wa = 1 / (a.error * a.error), wb = 1 / fmax(b.error * b.error, 1e-9);

	return (struct part){
		.part = (wa * a.part + wb * b.part) / (wa + wb),
		.error = sqrt(1 / (wa + wb)),
	};
}

/*
 * Which part of what the slowest calls take more is in the layer's own time: where they waited for
 * a processor, as much as its part of the time, which is the first guess; where calls inside waited
 * for something, none. How the two vary together in a run tells. (Control variates: A. M. Law,
 * Simulation Modeling and Analysis, 11.4.)
 */
static struct part own_part(const struct compare_function *function, const size_t *intervals,
			    const struct compare_amount *all)
{
	struct moments moments = { 0 };
	struct part out = { .part = all->time / all->whole, .error = GUESS_ERROR };
	double rest, part, error;

	for (int side = 0; side < COMPARE_SIDES; side++)
		if (function->amounts[side] && function->all[side].calls > 0)
			add_run(&moments, function->amounts[side], intervals[side],
				&function->all[side]);
	if (moments.n <= LEAST_INTERVALS || moments.xx <= 0)
		return out;
	part = fmin(fmax(moments.xy / moments.xx, 0), 1);
	rest = moments.yy - part * (2 * moments.xy - part * moments.xx);
	error = sqrt(fmax(rest, 0) / (double)(moments.n - 3) / moments.xx);
	return together(out, (struct part){ part, error });
}

/* How far the runs' typical times may be apart because that part is not known better. */
static double vague(const struct compare_function *function, double error, double typical)
{
	const struct compare_amount *a = &function->all[COMPARE_BEFORE];
	const struct compare_amount *b = &function->all[COMPARE_AFTER];

	if (a->calls <= 0 || b->calls <= 0 || typical <= 0)
		return 0;
	return SURE * error * fabs(excess_of(a) - excess_of(b)) / typical;
}

static void take_out(struct compare_amount *amount, double part)
{
	double excess = amount->whole - amount->typical;

	amount->typical = fmax(amount->time - part * excess, 0);
}

void compare_typical__estimate(struct compare_function *function, const size_t *intervals)
{
	struct compare_amount all = function->all[COMPARE_BEFORE];
	struct part part;

	compare_amount__add(&all, &function->all[COMPARE_AFTER]);
	if (all.calls <= 0)
		return;
	function->expected = all.time / all.calls;
	if (all.time <= NEARLY_ALL * all.whole) {
		part = own_part(function, intervals, &all);
		take_out(&all, part.part);
		function->vague = vague(function, part.error, all.typical / all.calls);
		for (int side = 0; side < COMPARE_SIDES; side++) {
			for (size_t i = 0; function->amounts[side] && i < intervals[side]; i++)
				take_out(&function->amounts[side][i], part.part);
			take_out(&function->all[side], part.part);
		}
	}
	function->expected_typical = all.typical / all.calls;
}
