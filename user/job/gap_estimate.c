// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>

#include "job/gap_estimate.h"

/* Probes are not taken for more of a thread's time: what is left says nothing any more. */
#define SLOWED_MAX 0.9
/* What a hit costs is measured, but at another time. */
#define COST_ERROR 0.15

static void add_gap(struct gap_estimate *estimate, double ns, const struct gap_rates *rates,
		    const double difference[GAP_QUANTITIES])
{
	estimate->gaps_ns += ns;
	for (int i = 0; i < GAP_QUANTITIES; i++) {
		double more = ns * rates->of[i];

		estimate->sum[i] += more;
		estimate->doubt[i] += more * rates->doubt;
		estimate->variance[i] += ns * ns * difference[i] * difference[i] / 2;
	}
}

/* A gap with a slice beside it at one end alone, or none: it may as well have been another load. */
static void add_by_one(struct gap_estimate *estimate, double ns, const struct gap_rates *rates)
{
	double difference[GAP_QUANTITIES];

	for (int i = 0; i < GAP_QUANTITIES; i++)
		difference[i] = rates->of[i] * sqrt(2 / (estimate->n + 1));
	add_gap(estimate, ns, rates, difference);
}

static void add_by_both(struct gap_estimate *estimate, double ns, const struct gap_rates *left,
			const struct gap_rates *right)
{
	struct gap_rates mean = { .doubt = (left->doubt + right->doubt) / 2 };
	double difference[GAP_QUANTITIES];

	for (int i = 0; i < GAP_QUANTITIES; i++) {
		mean.of[i] = (left->of[i] + right->of[i]) / 2;
		difference[i] = right->of[i] - left->of[i];
	}
	add_gap(estimate, ns, &mean, difference);
}

/* What there would have been without probes. */
static struct gap_rates rates_of(const struct gap_slice *slice)
{
	double slowed = slice->slowed < SLOWED_MAX ? slice->slowed : SLOWED_MAX;
	double factor = 1 / (1 - slowed);
	struct gap_rates rates = { .doubt = slowed / 2 };

	if (rates.doubt < COST_ERROR * slowed * factor)
		rates.doubt = COST_ERROR * slowed * factor;
	for (int i = 0; i < GAP_QUANTITIES; i++)
		rates.of[i] = slice->amount[i] / slice->ns * factor;
	return rates;
}

void gap_estimate__add(struct gap_estimate *estimate, const struct gap_slice *slice)
{
	struct gap_rates rates;

	if (!(slice->ns > 0)) {
		add_by_one(estimate, slice->before_ns, &estimate->left);
		return;
	}
	estimate->n++;
	estimate->slices_ns += slice->ns;
	estimate->calls += slice->amount[GAP_COUNT];
	rates = rates_of(slice);
	if (estimate->has_left)
		add_by_both(estimate, slice->before_ns, &estimate->left, &rates);
	else
		add_by_one(estimate, slice->before_ns, &rates);
	estimate->left = rates;
	estimate->has_left = true;
}

/* The rates stay, for whoever has no better ones. */
void gap_estimate__part(struct gap_estimate *estimate)
{
	estimate->has_left = false;
}

static double least_error(const struct gap_estimate *estimate)
{
	return estimate->n < 2 ? 1 : 1 / (estimate->n + 2);
}

/* As slices differ, by chance, where there were few calls in them, and by what probes cost. */
static double error_of(const struct gap_estimate *estimate, int quantity)
{
	double sum = estimate->sum[quantity], spread = sqrt(estimate->variance[quantity]) / sum;

	if (spread < least_error(estimate))
		spread = least_error(estimate);
	return hypot(sum * sqrt(spread * spread + 1 / estimate->calls), estimate->doubt[quantity]);
}

struct gap_total gap_estimate__tell(const struct gap_estimate *estimate,
				    const struct gap_slice *last, double open_ns)
{
	struct gap_estimate now = *estimate;
	struct gap_total total = { 0 };

	if (last)
		gap_estimate__add(&now, last);
	if (open_ns > 0)
		add_by_one(&now, open_ns, &now.left);
	if (!(now.n > 0))
		return total;
	total.known = true;
	for (int i = 0; i < GAP_QUANTITIES; i++) {
		total.value[i] = now.sum[i];
		if (now.sum[i] > 0 && now.calls > 0)
			total.error[i] = error_of(&now, i);
	}
	if (!(now.calls > 0))
		total.error[GAP_COUNT] = now.gaps_ns / now.slices_ns;
	return total;
}
