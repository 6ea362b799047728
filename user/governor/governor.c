// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"
#include "governor/governor.h"

/* What is decided by the whole is so over a window; what is tried, in less, at first at once. */
#define WAIT_S	  0.5
#define TRIAL_S	  0.02
#define SOON_S	  0.005
#define WINDOW_NS (450 * NS_PER_MS)

/*
 * How long a probe that comes back is watched before it may stay; who is seen to be too dear goes
 * at the first look. About how long it takes to be looked at and to go, in which it costs on.
 */
#define TRIAL_NS (100 * NS_PER_MS)
#define LOOK_NS	 (10 * NS_PER_MS)
#define LEAVE_NS (20 * NS_PER_MS)

/* Rest of a parked probe: from the first time to the longest. */
#define REST_NS	    (2 * NS_PER_S)
#define REST_MAX_NS (300 * NS_PER_S)
/* What is dear may have to wait longer, until it can be afforded; at most so long. */
#define LONG_NS (3600 * NS_PER_S)
/* Who is parked again before so many rests are over rests twice as long. */
#define RESTS 4

/*
 * Parked is until this part of the bound is used. Who comes back may stay if twice its cost fits
 * into that part, or if it costs next to nothing.
 */
#define FILL	0.8
#define STAY	0.9
#define NOTHING 0.01
/*
 * Trials cost at most so much of what is left of the bound, or of a part of it: a machine whose
 * clock is slower than when a hit's cost was measured makes them several times as dear.
 */
#define TRIALS 0.25
#define LEAST  0.05
/* What cannot be parked leaves at least this part of the bound to probes. */
#define RESERVE 0.25
/* So much over the bound is no chance: acted upon at once, not after a second window. */
#define FAR 2

enum state {
	ON,
	TRIED,
	PARKED,
	TRIED_WITH_GROUP,
};

struct watched {
	enum state state;
	bool refused;
	struct governor_load window; /* sums of this window */
	unsigned int harm, group;
	double rest;
	bool fixed;
	/* A second, in processors; of what is parked, before; of a group that is not, the rest. */
	double cost;
	double hits_per_s; /* the same */
	double trial_ns;   /* CPU time that the last trial cost, with its end; 0: there was none */
	__u64 rest_ns;	   /* the last one; 0: it was never parked */
	__u64 until_ns;	   /* PARKED */
	__u64 since_ns;	   /* it came back */
	/* TRIED: since then. */
	double tried_ns;
	__u64 tried_hits;
};

struct governor {
	double bound;
	struct watched *probes;
	size_t n, room;
	/*
	 * By number - 1. Who is PARKED in one that is not ON is so with it; in one that is ON, for
	 * itself.
	 */
	struct watched groups[GOVERNOR_GROUPS];
	struct governor_order *orders;
	size_t n_orders, orders_room;
	/* The window. */
	__u64 begin_ns, last_ns;
	double spent_ns, fixed_ns;
	unsigned int over; /* windows in a row that were over the bound */
	/* Of the last window, in processors. */
	double budget, total;
	double credit_ns; /* for trials */
};

struct governor *governor__new(double bound)
{
	struct governor *governor = calloc(1, sizeof(*governor));

	if (governor)
		governor->bound = bound;
	return governor;
}

void governor__free(struct governor *governor)
{
	if (!governor)
		return;
	free(governor->probes);
	free(governor->orders);
	free(governor);
}

void governor__set_bound(struct governor *governor, double bound)
{
	governor->bound = bound;
}

double governor__bound(const struct governor *governor)
{
	return governor->bound;
}

static void order(struct governor *governor, size_t probe, bool park)
{
	if (array__grow((void **)&governor->orders, &governor->orders_room, governor->n_orders,
			sizeof(*governor->orders)) < 0)
		return;
	governor->orders[governor->n_orders++] =
		(struct governor_order){ .probe = probe, .park = park };
}

/* What a trial will cost, as it looks: the last one did. */
static double trial_ns(const struct watched *probe)
{
	return probe->trial_ns > 0 ? probe->trial_ns : probe->cost * (LOOK_NS + LEAVE_NS);
}

/* When there will be enough credit for a trial, as it looks. */
static __u64 affordable_ns(const struct governor *governor, const struct watched *probe, __u64 now)
{
	double missing = trial_ns(probe) - governor->credit_ns;

	if (missing <= 0 || governor->budget <= 0)
		return now;
	missing /= TRIALS * governor->budget;
	return now + (missing < LONG_NS ? (__u64)missing : LONG_NS);
}

/* Of a probe: NULL where it is in none. */
static const struct watched *group_of(const struct governor *governor, const struct watched *probe)
{
	return probe->group ? &governor->groups[probe->group - 1] : NULL;
}

static bool has_group_parked(const struct governor *governor, const struct watched *probe)
{
	const struct watched *group = group_of(governor, probe);

	return group && group->state != ON;
}

/* Until when: longer each time. */
static void rest(const struct governor *governor, struct watched *probe, __u64 now)
{
	bool again = probe->rest_ns && now - probe->since_ns < RESTS * probe->rest_ns;
	__u64 affordable = affordable_ns(governor, probe, now);

	probe->rest_ns = again ? 2 * probe->rest_ns : REST_NS;
	if (probe->rest_ns > REST_MAX_NS)
		probe->rest_ns = REST_MAX_NS;
	probe->until_ns = now + probe->rest_ns;
	if (probe->until_ns < affordable)
		probe->until_ns = affordable;
	probe->state = PARKED;
	probe->window = (struct governor_load){ 0 };
}

static void park(struct governor *governor, size_t i, __u64 now)
{
	rest(governor, &governor->probes[i], now);
	order(governor, i, true);
}

/* With all that is in it; what it costs as a whole is known. */
static void park_group(struct governor *governor, unsigned int number, __u64 now)
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

static void begin(struct watched *probe, __u64 now, enum state state)
{
	probe->state = state;
	probe->since_ns = now;
	probe->tried_ns = 0;
	probe->tried_hits = 0;
}

static void let_back(struct governor *governor, size_t i, __u64 now, enum state state)
{
	begin(&governor->probes[i], now, state);
	order(governor, i, false);
}

static void let_group_back(struct governor *governor, unsigned int number, __u64 now)
{
	begin(&governor->groups[number - 1], now, TRIED);
	for (size_t i = 0; i < governor->n; i++)
		if (governor->probes[i].group == number && governor->probes[i].state == PARKED)
			let_back(governor, i, now, TRIED_WITH_GROUP);
}

/* The probe's numbers since the last reading. */
static void count(struct watched *probe, const struct governor_load *load)
{
	probe->fixed = load->fixed || probe->refused;
	probe->harm = load->harm ? load->harm : 1;
	probe->group = load->group <= GOVERNOR_GROUPS ? load->group : 0;
	probe->rest = probe->group ? load->rest : 0;
	/* A trial is no part of the window; nor is what a probe did on its way out. */
	if (probe->state == TRIED || probe->state == TRIED_WITH_GROUP) {
		probe->tried_hits += load->hits;
		probe->tried_ns += load->cost_ns;
	} else if (probe->state == ON) {
		probe->window.hits += load->hits;
		probe->window.cost_ns += load->cost_ns;
	}
}

/* The first reading is but where the next ones begin. */
static int count_all(struct governor *governor, const struct governor_reading *reading, bool first)
{
	while (governor->n < reading->n) {
		if (array__grow((void **)&governor->probes, &governor->room, governor->n,
				sizeof(*governor->probes)) < 0)
			return -1;
		governor->probes[governor->n++] = (struct watched){ 0 };
	}
	if (first)
		return 0;
	for (size_t i = 0; i < reading->n; i++)
		count(&governor->probes[i], &reading->loads[i]);
	governor->spent_ns += reading->spent_ns;
	governor->fixed_ns += reading->fixed_ns;
	return 0;
}

/* A probe's rest goes on being paid for. */
static void add_rest(struct governor *governor, const struct watched *probe)
{
	struct watched *group = &governor->groups[probe->group - 1];

	group->cost += probe->rest * probe->cost;
	governor->total += probe->rest * probe->cost;
}

/* Those of the probes that are parked, of groups that are not. */
static void add_rests(struct governor *governor)
{
	for (size_t i = 0; i < GOVERNOR_GROUPS; i++)
		if (governor->groups[i].state == ON)
			governor->groups[i].cost = 0;
	for (size_t i = 0; i < governor->n; i++) {
		const struct watched *probe = &governor->probes[i];

		if (probe->state == PARKED && probe->group && !has_group_parked(governor, probe))
			add_rest(governor, probe);
	}
}

/* Sums up the window: rates, and how much there may be. */
static void close_window(struct governor *governor, __u64 now)
{
	double ns = (double)(now - governor->begin_ns);
	double spent = governor->spent_ns / ns, fixed = governor->fixed_ns / ns, most;

	governor->total = 0;
	for (size_t i = 0; i < governor->n; i++) {
		struct watched *probe = &governor->probes[i];

		if (probe->state != ON)
			continue;
		probe->cost = probe->window.cost_ns / ns;
		probe->hits_per_s = (double)probe->window.hits / ns * NS_PER_S;
		probe->window = (struct governor_load){ 0 };
		*(probe->fixed ? &fixed : &governor->total) += probe->cost;
	}
	add_rests(governor);
	most = governor->bound * (spent > GOVERNOR_FLOOR ? spent : GOVERNOR_FLOOR);
	governor->budget = most - fixed;
	if (governor->budget < RESERVE * most)
		governor->budget = RESERVE * most;
	governor->begin_ns = now;
	governor->spent_ns = governor->fixed_ns = 0;
}

/* The one that costs most for what it shows; -1: none is left. */
static long worst(const struct governor *governor)
{
	double most = 0;
	long found = -1;

	for (size_t i = 0; i < governor->n; i++) {
		const struct watched *probe = &governor->probes[i];

		if (probe->state != ON || probe->fixed || probe->cost / probe->harm <= most)
			continue;
		most = probe->cost / probe->harm;
		found = (long)i;
	}
	return found;
}

/* The group whose rest costs most, and more than so much; 0: none. */
static unsigned int worst_group(const struct governor *governor, double most)
{
	unsigned int found = 0;

	for (unsigned int i = 0; i < GOVERNOR_GROUPS; i++) {
		const struct watched *group = &governor->groups[i];

		if (group->state != ON || group->cost <= most)
			continue;
		most = group->cost;
		found = i + 1;
	}
	return found;
}

static void shed_probe(struct governor *governor, size_t i, __u64 now)
{
	struct watched *probe = &governor->probes[i];

	governor->total -= probe->cost;
	if (probe->group)
		add_rest(governor, probe);
	probe->trial_ns = 0; /* it was another load */
	park(governor, i, now);
}

static void shed_group(struct governor *governor, unsigned int number, __u64 now)
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
	group->trial_ns = 0;
	park_group(governor, number, now);
}

/* Parks the worst one, probe or group; false: none is left. */
static bool shed_one(struct governor *governor, __u64 now)
{
	long i = worst(governor);
	double most = i < 0 ? 0 : governor->probes[i].cost / governor->probes[i].harm;
	unsigned int group = worst_group(governor, most);

	if (group)
		shed_group(governor, group, now);
	else if (i >= 0)
		shed_probe(governor, (size_t)i, now);
	return group || i >= 0;
}

/* Parks the fewest that are enough. */
static void shed(struct governor *governor, __u64 now)
{
	governor->over = governor->total > governor->budget ? governor->over + 1 : 0;
	if (governor->over < 2 && governor->total <= FAR * governor->budget)
		return;
	governor->over = 0;
	while (governor->total > FILL * governor->budget && shed_one(governor, now))
		;
}

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
	park(governor, i, now);
}

/* Of a group that may stay: who of it is too dear goes all the same. */
static void keep_group(struct governor *governor, unsigned int number, double ns, __u64 now)
{
	governor->groups[number - 1].state = ON;
	governor->groups[number - 1].cost = 0;
	for (size_t i = 0; i < governor->n; i++) {
		struct watched *probe = &governor->probes[i];

		if (probe->group != number || probe->state != TRIED_WITH_GROUP)
			continue;
		probe->cost = probe->tried_ns / ns;
		probe->hits_per_s = (double)probe->tried_hits / ns * NS_PER_S;
		probe->state = ON;
		governor->total += probe->cost;
		if (probe->cost > room_for_one(governor) && !probe->fixed)
			shed_probe(governor, i, now);
	}
}

/* The same of a group: what counts is the rest, as its probes can be parked for themselves. */
static void judge_group(struct governor *governor, unsigned int number, __u64 now)
{
	struct watched *group = &governor->groups[number - 1];
	double ns = (double)(now - group->since_ns), all = 0, left = 0;
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
	group->cost = all / ns;
	if (dear || left / ns > room_for_one(governor))
		park_group(governor, number, now);
	else
		keep_group(governor, number, ns, now);
}

/* Is it parked, for itself? */
static bool can_be_tried(const struct governor *governor, const struct watched *probe)
{
	return probe->state == PARKED && !has_group_parked(governor, probe);
}

/* What trials may cost grows with the time; nothing is saved but for the dearest one. */
static void save(struct governor *governor, double ns)
{
	double spare = governor->budget - governor->total, most = 0;

	if (spare < LEAST * governor->budget)
		spare = LEAST * governor->budget;
	for (size_t i = 0; i < governor->n; i++)
		if (can_be_tried(governor, &governor->probes[i]) &&
		    trial_ns(&governor->probes[i]) > most)
			most = trial_ns(&governor->probes[i]);
	for (size_t i = 0; i < GOVERNOR_GROUPS; i++)
		if (governor->groups[i].state == PARKED && trial_ns(&governor->groups[i]) > most)
			most = trial_ns(&governor->groups[i]);
	governor->credit_ns += TRIALS * spare * ns;
	if (governor->credit_ns > most)
		governor->credit_ns = most;
}

/* Has one rested enough, and longer than another, which may be NULL? */
static bool comes_first(const struct watched *one, const struct watched *other, __u64 now)
{
	return one->until_ns <= now && (!other || one->until_ns < other->until_ns);
}

/*
 * Lets the one come back that has waited longest. Where it cannot be afforded, others do not spend
 * what it waits for: each has its turn.
 */
static void try_one(struct governor *governor, __u64 now)
{
	const struct watched *next = NULL;
	long probe = -1, group = -1;

	for (size_t i = 0; i < governor->n; i++) {
		if (governor->probes[i].state == TRIED)
			return;
		if (can_be_tried(governor, &governor->probes[i]) &&
		    comes_first(&governor->probes[i], next, now)) {
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
	if (!next || trial_ns(next) > governor->credit_ns)
		return;
	if (group >= 0)
		let_group_back(governor, (unsigned int)group + 1, now);
	else
		let_back(governor, (size_t)probe, now, TRIED);
}

static void decide(struct governor *governor, __u64 now)
{
	__u64 window = governor->begin_ns;

	for (size_t i = 0; i < governor->n; i++)
		if (governor->probes[i].state == TRIED)
			judge(governor, i, now);
	for (unsigned int i = 0; i < GOVERNOR_GROUPS; i++)
		if (governor->groups[i].state == TRIED)
			judge_group(governor, i + 1, now);
	if (now - window >= WINDOW_NS) {
		close_window(governor, now);
		shed(governor, now);
		save(governor, (double)(now - window));
	}
	try_one(governor, now);
}

static void let_all_back(struct governor *governor, __u64 now)
{
	for (size_t i = 0; i < GOVERNOR_GROUPS; i++)
		governor->groups[i].state = ON;
	for (size_t i = 0; i < governor->n; i++)
		if (governor->probes[i].state == PARKED && !governor->probes[i].refused)
			let_back(governor, i, now, ON);
		else if (governor->probes[i].state == TRIED_WITH_GROUP)
			governor->probes[i].state = ON;
}

const struct governor_order *governor__read(struct governor *governor,
					    const struct governor_reading *reading, size_t *n)
{
	bool first = !governor->last_ns;

	*n = governor->n_orders = 0;
	governor->last_ns = reading->now_ns;
	if (first)
		governor->begin_ns = reading->now_ns;
	if (count_all(governor, reading, first) < 0 || first)
		return NULL;
	if (governor->bound > 0)
		decide(governor, reading->now_ns);
	else
		let_all_back(governor, reading->now_ns);
	*n = governor->n_orders;
	return governor->orders;
}

void governor__delay(struct governor *governor, size_t probe)
{
	governor->probes[probe].state = PARKED;
	governor->probes[probe].until_ns = governor->last_ns + NS_PER_S;
}

void governor__release(struct governor *governor, size_t probe)
{
	if (probe < governor->n)
		governor->probes[probe] = (struct watched){ 0 };
}

void governor__refuse(struct governor *governor, size_t probe)
{
	governor->probes[probe].state = ON;
	governor->probes[probe].refused = true;
}

bool governor__group_parked(const struct governor *governor, unsigned int group)
{
	return governor->groups[group - 1].state == PARKED;
}

void governor__release_group(struct governor *governor, unsigned int group)
{
	governor->groups[group - 1] = (struct watched){ 0 };
}

/* How long one has been tried, if it is. */
static double trial_wait_s(const struct governor *governor, const struct watched *probe)
{
	if (probe->state != TRIED)
		return WAIT_S;
	return governor->last_ns - probe->since_ns < LOOK_NS ? SOON_S : TRIAL_S;
}

double governor__wait_s(const struct governor *governor)
{
	double wait_s = WAIT_S, one;

	for (size_t i = 0; i < governor->n + GOVERNOR_GROUPS; i++) {
		one = trial_wait_s(governor, i < governor->n ? &governor->probes[i]
							     : &governor->groups[i - governor->n]);
		if (one < wait_s)
			wait_s = one;
	}
	return wait_s;
}

bool governor__view(const struct governor *governor, size_t probe, struct governor_view *out)
{
	const struct watched *watched = &governor->probes[probe];

	if (probe >= governor->n || watched->state != PARKED)
		return false;
	*out = (struct governor_view){
		.hits_per_s = watched->hits_per_s,
		.cost = watched->cost,
		.until_ns = has_group_parked(governor, watched)
				    ? group_of(governor, watched)->until_ns
				    : watched->until_ns,
	};
	return true;
}

size_t governor__parked(const struct governor *governor)
{
	size_t n = 0;

	for (size_t i = 0; i < governor->n; i++)
		n += governor->probes[i].state == PARKED;
	return n;
}
