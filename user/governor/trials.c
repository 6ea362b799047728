// SPDX-License-Identifier: GPL-2.0-only
#include "governor/trials.h"

/* Looks at what is tried, at first at once. */
#define TRIAL_S 0.02
#define SOON_S	0.005

/*
 * How long a probe that comes back is watched before it may stay, and at the most: what comes in
 * bursts is known by its cost over a second. One that has cost what it may cost in half of that
 * time goes at once.
 */
#define TRIAL_NS (100 * NS_PER_MS)
#define LONG_NS	 NS_PER_S
#define DEAR_NS	 (500 * NS_PER_MS) /* of LONG_NS */

/*
 * Who comes back may stay if twice its cost fits into this part. Or if it costs little: where that
 * is too much for what is used already, the dearest go for it, so that many cheap ones are seen
 * rather than few dear ones.
 */
#define STAY   0.85
#define LITTLE 0.1
/* A trial takes no more of a thread's time than this part of what probes may. */
#define TOLL 0.5

/*
 * What may not stay goes after a slice: so long, or until it has cost what trials may cost in so
 * much time. Where it is dear to put it back and to take it away, a slice is worth several times as
 * much, and there are fewer.
 */
#define SLICE_NS  (100 * NS_PER_MS)
#define PERIOD_NS (4 * NS_PER_S)
#define WORTH	  8

/* What is to become of what is tried. */
enum verdict {
	WAIT,
	DEAR, /* before its time */
	GO,
	STAYS,
};

/* So much may a probe cost that comes back and stays. */
static double room_for_one(const struct governor *governor)
{
	double room = (STAY * governor->budget - governor->total) / 2;

	return room > LITTLE * governor->budget ? room : LITTLE * governor->budget;
}

/* Has it taken too much from a thread by now? Only what is tried itself is blamed. */
static bool is_hard(const struct governor *governor, const struct watched *tried, double ns)
{
	const struct governor_toll *toll = &governor->toll;
	const struct watched *taker = toll->load >= 0 ? &governor->probes[toll->load] : NULL;
	bool own = taker == tried || (toll->group && &governor->groups[toll->group - 1] == tried) ||
		   (taker && taker->group && &governor->groups[taker->group - 1] == tried) ||
		   (taker && tried->part && tried == taker + 1);

	if (!own || !(governor->bounds.thread > 0))
		return false;
	return toll->ns > TOLL * governor->bounds.thread * LONG_NS ||
	       (ns >= TRIAL_NS && toll->ns > governor->bounds.thread * ns);
}

/* How long a slice of what costs so much is, as part of the time. */
static double slice_ns(const struct governor *governor, const struct watched *tried, double cost)
{
	double most = moves__trials(governor) * PERIOD_NS - moves__change_ns(tried, cost);

	if (most < WORTH * tried->switch_ns)
		most = WORTH * tried->switch_ns;
	if (!(most > 0))
		return 0;
	return cost * SLICE_NS < most ? SLICE_NS : most / cost;
}

/*
 * cost_ns: what it has cost in ns, but what is left of it without being parked as a whole; all_ns:
 * the same with what is left.
 */
static enum verdict judge_cost(const struct governor *governor, struct watched *tried,
			       double cost_ns, double all_ns, double ns)
{
	bool node = governor->bounds.node > 0, hard = is_hard(governor, tried, ns);
	double room = room_for_one(governor), slice;

	tried->over_ns = 0;
	if (!hard && node && cost_ns > room * DEAR_NS) {
		slice = slice_ns(governor, tried, all_ns / ns);
		tried->over_ns = tried->since_ns + (__u64)slice;
		if (ns < slice)
			return WAIT;
	}
	if ((node && cost_ns > room * DEAR_NS) || hard)
		return ns < TRIAL_NS ? DEAR : GO;
	if (ns < TRIAL_NS)
		return WAIT;
	if (!node || cost_ns <= room * ns)
		return STAYS;
	return ns < LONG_NS ? WAIT : GO;
}

/* Is the probe that is being tried known well enough, and may it stay? */
static void judge(struct governor *governor, size_t i, __u64 now)
{
	struct watched *probe = &governor->probes[i];
	double ns = (double)(now - probe->since_ns), cost = ns > 0 ? probe->tried_ns / ns : 0;
	enum verdict verdict = judge_cost(governor, probe, probe->tried_ns, probe->tried_ns, ns);

	if (verdict == WAIT)
		return;
	probe->trial_ns = probe->tried_ns + (verdict == STAYS ? 0 : moves__change_ns(probe, cost));
	moves__pay_trial(governor, probe->trial_ns);
	if (verdict == STAYS) {
		probe->state = ON;
		probe->kept_ns = now;
		governor->total += cost;
		return;
	}
	probe->hits_per_s = (double)probe->tried_hits / ns * NS_PER_S;
	probe->cost = cost;
	probe->toll = is_hard(governor, probe, ns) ? governor->toll.ns / ns : 0;
	moves__park(governor, i, now);
}

/* Of a group that may stay: who of it is too dear goes all the same. */
static void keep_group(struct governor *governor, unsigned int number, double ns, __u64 now)
{
	struct watched *group = &governor->groups[number - 1];

	group->state = ON;
	group->kept_ns = now;
	group->cost = 0;
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
 * The same of a group: what counts are the rests, as its probes can be parked for
 * themselves.
 */
static void judge_group(struct governor *governor, unsigned int number, __u64 now)
{
	struct watched *group = &governor->groups[number - 1];
	double ns = (double)(now - group->since_ns), all = 0, left = 0;
	enum verdict verdict;

	for (size_t i = 0; i < governor->n; i++) {
		const struct watched *probe = &governor->probes[i];

		if (probe->group == number && probe->state == TRIED_WITH_GROUP) {
			all += probe->tried_ns;
			left += probe->rest * probe->tried_ns;
		}
	}
	verdict = judge_cost(governor, group, left, all, ns);
	if (verdict == WAIT)
		return;
	group->trial_ns = all + (verdict == STAYS ? 0 : moves__change_ns(group, all / ns));
	moves__pay_trial(governor, group->trial_ns);
	group->cost = all / ns;
	group->toll = is_hard(governor, group, ns) ? governor->toll.ns / ns : 0;
	if (verdict == STAYS)
		keep_group(governor, number, ns, now);
	else
		moves__park_group(governor, number, now);
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
	double most = 0;

	for (size_t i = 0; i < governor->n; i++)
		if (can_be_tried(governor, i) &&
		    moves__trial_ns(governor, &governor->probes[i]) > most)
			most = moves__trial_ns(governor, &governor->probes[i]);
	for (size_t i = 0; i < GOVERNOR_GROUPS; i++)
		if (governor->groups[i].state == PARKED &&
		    moves__trial_ns(governor, &governor->groups[i]) > most)
			most = moves__trial_ns(governor, &governor->groups[i]);
	governor->credit_ns += moves__trials(governor) * ns;
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
	if (!next ||
	    (governor->bounds.node > 0 && moves__trial_ns(governor, next) > governor->credit_ns))
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
	double left_s;

	if (probe->state != TRIED)
		return wait_s;
	if (governor->last_ns - probe->since_ns < LOOK_NS)
		return SOON_S;
	if (probe->over_ns <= governor->last_ns)
		return TRIAL_S;
	left_s = (double)(probe->over_ns - governor->last_ns) / NS_PER_S;
	return left_s < SOON_S ? SOON_S : left_s < TRIAL_S ? left_s : TRIAL_S;
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
