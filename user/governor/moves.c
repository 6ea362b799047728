// SPDX-License-Identifier: GPL-2.0-only
#include "base/array.h"
#include "governor/moves.h"

/*
 * Rest of a parked probe. What bounds the cost of trials is what trials may cost; the rest grows
 * only for those that came back to stay and were parked again soon, as with a load that comes and
 * goes, and not beyond the longest.
 */
#define REST_NS	    (2 * NS_PER_S)
#define REST_MAX_NS (60 * NS_PER_S)
/* What is dear may have to wait longer, until it can be afforded: told is at most so long. */
#define LONG_NS (60 * NS_PER_S)
/* A trial that was so long ago is taken for half as dear. */
#define AGO_NS (20 * NS_PER_S)
/* Who is parked again before so many rests are over rests twice as long. */
#define RESTS 4

static void order(struct governor *governor, size_t probe, bool park)
{
	if (array__grow((void **)&governor->orders, &governor->orders_room, governor->n_orders,
			sizeof(*governor->orders)) < 0)
		return;
	governor->orders[governor->n_orders++] =
		(struct governor_order){ .probe = probe, .park = park };
}

double moves__change_ns(const struct watched *probe, double cost)
{
	return probe->switch_ns + cost * (probe->leave_ns > 0 ? probe->leave_ns : LEAVE_NS);
}

/* The last one did; but the longer ago that is, the less it tells. */
double moves__trial_ns(const struct governor *governor, const struct watched *probe)
{
	double ns = probe->trial_ns;

	if (!(ns > 0))
		ns = probe->cost * LOOK_NS + moves__change_ns(probe, probe->cost);
	return ns / (1 + (double)(governor->last_ns - probe->gone_ns) / AGO_NS);
}

double moves__trials(const struct governor *governor)
{
	double spare = governor->budget - governor->total;

	if (spare < LEAST * governor->budget)
		spare = LEAST * governor->budget;
	return TRIALS * spare;
}

void moves__pay_trial(struct governor *governor, double ns)
{
	governor->credit_ns = governor->credit_ns > ns ? governor->credit_ns - ns : 0;
}

/* When there will be enough credit for a trial, as it looks. */
static __u64 affordable_ns(const struct governor *governor, const struct watched *probe, __u64 now)
{
	double missing = moves__trial_ns(governor, probe) - governor->credit_ns;

	if (missing <= 0 || !(moves__trials(governor) > 0))
		return now;
	missing /= moves__trials(governor);
	return now + (missing < LONG_NS ? (__u64)missing : LONG_NS);
}

bool moves__is_with_group(const struct governor *governor, const struct watched *probe)
{
	return probe->group && governor->groups[probe->group - 1].state != ON;
}

const struct watched *moves__part(const struct governor *governor, size_t i)
{
	const struct watched *part = &governor->probes[i + 1];

	return i + 1 < governor->n && part->part && !part->fixed ? part : NULL;
}

/* Until when. */
static void rest(const struct governor *governor, struct watched *probe, __u64 now)
{
	__u64 affordable;

	probe->gone_ns = now;
	affordable = affordable_ns(governor, probe, now);
	if (probe->kept_ns && now - probe->kept_ns < RESTS * probe->rest_ns)
		probe->rest_ns *= 2;
	else if (probe->kept_ns || !probe->rest_ns)
		probe->rest_ns = REST_NS;
	if (probe->rest_ns > REST_MAX_NS)
		probe->rest_ns = REST_MAX_NS;
	probe->kept_ns = 0;
	probe->until_ns = now + probe->rest_ns;
	if (probe->until_ns < affordable)
		probe->until_ns = affordable;
	probe->state = PARKED;
	probe->window = (struct governor_load){ 0 };
}

void moves__park(struct governor *governor, size_t i, __u64 now)
{
	rest(governor, &governor->probes[i], now);
	order(governor, i, true);
}

void moves__park_group(struct governor *governor, unsigned int number, __u64 now)
{
	rest(governor, &governor->groups[number - 1], now);
	for (size_t i = 0; i < governor->n; i++) {
		struct watched *probe = &governor->probes[i];

		if (probe->group != number || probe->fixed || probe->state == PARKED)
			continue;
		probe->state = PARKED;
		probe->window = (struct governor_load){ 0 };
		order(governor, i, true);
	}
}

static void begin_state(struct watched *probe, __u64 now, enum state state)
{
	probe->state = state;
	probe->since_ns = now;
	probe->tried_ns = 0;
	probe->tried_hits = 0;
	probe->over_ns = 0;
}

void moves__let_back(struct governor *governor, size_t i, __u64 now, enum state state)
{
	begin_state(&governor->probes[i], now, state);
	order(governor, i, false);
}

void moves__let_group_back(struct governor *governor, unsigned int number, __u64 now)
{
	begin_state(&governor->groups[number - 1], now, TRIED);
	for (size_t i = 0; i < governor->n; i++)
		if (governor->probes[i].group == number && governor->probes[i].state == PARKED)
			moves__let_back(governor, i, now, TRIED_WITH_GROUP);
}

void moves__add_rest(struct governor *governor, const struct watched *probe)
{
	struct watched *group = &governor->groups[probe->group - 1];

	group->cost += probe->rest * probe->cost;
	governor->total += probe->rest * probe->cost;
}

void moves__shed(struct governor *governor, size_t i, __u64 now)
{
	struct watched *probe = &governor->probes[i];

	governor->total -= probe->cost;
	if (probe->group)
		moves__add_rest(governor, probe);
	probe->trial_ns = 0; /* it was another load */
	moves__park(governor, i, now);
}

void moves__shed_group(struct governor *governor, unsigned int number, __u64 now)
{
	struct watched *group = &governor->groups[number - 1];

	governor->total -= group->cost;
	group->cost = 0;
	for (size_t i = 0; i < governor->n; i++) {
		const struct watched *probe = &governor->probes[i];

		if (probe->group != number)
			continue;
		if (probe->state == ON && !probe->fixed)
			governor->total -= probe->cost;
		group->cost += probe->cost;
	}
	group->trial_ns = 0; /* it was another load */
	moves__park_group(governor, number, now);
}
