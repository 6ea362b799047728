// SPDX-License-Identifier: GPL-2.0-only
#include "governor/trials.h"

/* Looks at what is tried, at first at once. */
#define TRIAL_S 0.02
#define SOON_S	0.005

/* How long a probe that comes back is watched before it may stay. */
#define TRIAL_NS (100 * NS_PER_MS)

/* Who comes back may stay if twice its cost fits into this part, or if it costs next to nothing. */
#define STAY	0.9
#define NOTHING 0.01
/* Of what is left of the bound, or of this part of it, trials may cost TRIALS. */
#define LEAST 0.05

/* So much may a probe cost that comes back and stays. */
static double room_for_one(const struct governor *governor)
{
	double room = (STAY * governor->budget - governor->total) / 2;

	return room > NOTHING * governor->budget ? room : NOTHING * governor->budget;
}

/* Is the probe that is being tried known well enough, and may it stay? */
static void judge(struct governor *governor, size_t i, __u64 now)
{
	struct watched *probe = &governor->probes[i];
	double ns = (double)(now - probe->since_ns), cost = probe->tried_ns / ns;
	bool dear = probe->tried_ns > room_for_one(governor) * TRIAL_NS;

	if (ns < TRIAL_NS && !dear)
		return;
	probe->trial_ns = probe->tried_ns + (dear ? cost * LEAVE_NS : 0);
	governor->credit_ns -= probe->trial_ns;
	if (!dear && cost <= room_for_one(governor)) {
		probe->state = ON;
		governor->total += cost;
		return;
	}
	probe->hits_per_s = (double)probe->tried_hits / ns * NS_PER_S;
	probe->cost = cost;
	moves__park(governor, i, now);
}

/* Of a group that may stay: who of it is too dear goes all the same. */
static void keep_group(struct governor *governor, unsigned int number, double ns, __u64 now)
{
	struct watched *group = &governor->groups[number - 1];

	group->state = ON;
	group->cost = group->own;
	governor->total += group->own;
	for (size_t i = 0; i < governor->n; i++) {
		struct watched *probe = &governor->probes[i];

		if (probe->group != number || probe->state != TRIED_WITH_GROUP)
			continue;
		probe->cost = probe->tried_ns / ns;
		probe->hits_per_s = (double)probe->tried_hits / ns * NS_PER_S;
		probe->state = ON;
		governor->total += probe->cost;
		if (probe->cost > room_for_one(governor) && !probe->fixed)
			moves__shed(governor, i, now);
	}
}

/*
 * The same of a group: what counts is its own and the rests, as its probes can be parked for
 * themselves.
 */
static void judge_group(struct governor *governor, unsigned int number, __u64 now)
{
	struct watched *group = &governor->groups[number - 1];
	double ns = (double)(now - group->since_ns), all = group->tried_ns, left = all;
	bool dear;

	for (size_t i = 0; i < governor->n; i++) {
		const struct watched *probe = &governor->probes[i];

		if (probe->group == number && probe->state == TRIED_WITH_GROUP) {
			all += probe->tried_ns;
			left += probe->rest * probe->tried_ns;
		}
	}
	dear = left > room_for_one(governor) * TRIAL_NS;
	if (ns < TRIAL_NS && !dear)
		return;
	group->trial_ns = all + (dear ? all / ns * LEAVE_NS : 0);
	governor->credit_ns -= group->trial_ns;
	group->own = group->tried_ns / ns;
	group->cost = all / ns;
	if (dear || left / ns > room_for_one(governor))
		moves__park_group(governor, number, now);
	else
		keep_group(governor, number, ns, now);
}

void trials__judge(struct governor *governor, __u64 now)
{
	for (size_t i = 0; i < governor->n; i++)
		if (governor->probes[i].state == TRIED)
			judge(governor, i, now);
	for (unsigned int i = 0; i < GOVERNOR_GROUPS; i++)
		if (governor->groups[i].state == TRIED)
			judge_group(governor, i + 1, now);
}

/* Is it parked, for itself? */
static bool can_be_tried(const struct governor *governor, size_t i)
{
	const struct watched *probe = &governor->probes[i];

	return probe->state == PARKED && !moves__is_with_group(governor, probe) &&
	       !(probe->part && governor->probes[i - 1].state != ON);
}

void trials__save(struct governor *governor, double ns)
{
	double spare = governor->budget - governor->total, most = 0;

	if (spare < LEAST * governor->budget)
		spare = LEAST * governor->budget;
	for (size_t i = 0; i < governor->n; i++)
		if (can_be_tried(governor, i) && moves__trial_ns(&governor->probes[i]) > most)
			most = moves__trial_ns(&governor->probes[i]);
	for (size_t i = 0; i < GOVERNOR_GROUPS; i++)
		if (governor->groups[i].state == PARKED &&
		    moves__trial_ns(&governor->groups[i]) > most)
			most = moves__trial_ns(&governor->groups[i]);
	governor->credit_ns += TRIALS * spare * ns;
	if (governor->credit_ns > most)
		governor->credit_ns = most;
}

/* Has one rested enough, and longer than another, which may be NULL? */
static bool comes_first(const struct watched *one, const struct watched *other, __u64 now)
{
	return one->until_ns <= now && (!other || one->until_ns < other->until_ns);
}

void trials__begin(struct governor *governor, __u64 now)
{
	const struct watched *next = NULL;
	long probe = -1, group = -1;

	for (size_t i = 0; i < governor->n; i++) {
		if (governor->probes[i].state == TRIED)
			return;
		if (can_be_tried(governor, i) && comes_first(&governor->probes[i], next, now)) {
			next = &governor->probes[i];
			probe = (long)i;
		}
	}
	for (size_t i = 0; i < GOVERNOR_GROUPS; i++) {
		if (governor->groups[i].state == TRIED)
			return;
		if (governor->groups[i].state == PARKED &&
		    comes_first(&governor->groups[i], next, now)) {
			next = &governor->groups[i];
			group = (long)i;
		}
	}
	if (!next || moves__trial_ns(next) > governor->credit_ns)
		return;
	if (group >= 0)
		moves__let_group_back(governor, (unsigned int)group + 1, now);
	else
		moves__let_back(governor, (size_t)probe, now, TRIED);
}

/* How long one has been tried, if it is. */
static double wait_for_one(const struct governor *governor, const struct watched *probe,
			   double wait_s)
{
	if (probe->state != TRIED)
		return wait_s;
	return governor->last_ns - probe->since_ns < LOOK_NS ? SOON_S : TRIAL_S;
}

double trials__wait_s(const struct governor *governor, double wait_s)
{
	double soonest = wait_s, one;

	for (size_t i = 0; i < governor->n + GOVERNOR_GROUPS; i++) {
		one = wait_for_one(governor,
				   i < governor->n ? &governor->probes[i]
						   : &governor->groups[i - governor->n],
				   wait_s);
		if (one < soonest)
			soonest = one;
	}
	return soonest;
}
