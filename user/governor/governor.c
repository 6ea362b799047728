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
};

struct watched {
	enum state state;
	bool refused;
	struct governor_load window; /* sums of this window */
	unsigned int harm;
	bool fixed;
	double cost;	   /* a second, in processors; of what is parked, before */
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

static void park(struct governor *governor, size_t i, __u64 now)
{
	struct watched *probe = &governor->probes[i];
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
	order(governor, i, true);
}

static void let_back(struct governor *governor, size_t i, __u64 now, enum state state)
{
	struct watched *probe = &governor->probes[i];

	probe->state = state;
	probe->since_ns = now;
	probe->tried_ns = 0;
	probe->tried_hits = 0;
	order(governor, i, false);
}

/* The probe's numbers since the last reading. */
static void count(struct watched *probe, const struct governor_load *load)
{
	probe->fixed = load->fixed || probe->refused;
	probe->harm = load->harm ? load->harm : 1;
	/* A trial is no part of the window; nor is what a probe did on its way out. */
	if (probe->state == TRIED) {
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

/* Parks the fewest that are enough. */
static void shed(struct governor *governor, __u64 now)
{
	long i;

	governor->over = governor->total > governor->budget ? governor->over + 1 : 0;
	if (governor->over < 2 && governor->total <= FAR * governor->budget)
		return;
	governor->over = 0;
	while (governor->total > FILL * governor->budget && (i = worst(governor)) >= 0) {
		governor->total -= governor->probes[i].cost;
		governor->probes[i].trial_ns = 0; /* it was another load */
		park(governor, (size_t)i, now);
	}
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

/* What trials may cost grows with the time; nothing is saved but for the dearest one. */
static void save(struct governor *governor, double ns)
{
	double spare = governor->budget - governor->total, most = 0;

	if (spare < LEAST * governor->budget)
		spare = LEAST * governor->budget;
	for (size_t i = 0; i < governor->n; i++)
		if (governor->probes[i].state == PARKED && trial_ns(&governor->probes[i]) > most)
			most = trial_ns(&governor->probes[i]);
	governor->credit_ns += TRIALS * spare * ns;
	if (governor->credit_ns > most)
		governor->credit_ns = most;
}

/*
 * Lets the one come back that has waited longest. Where it cannot be afforded, others do not spend
 * what it waits for: each has its turn.
 */
static void try_one(struct governor *governor, __u64 now)
{
	struct watched *probe;
	long next = -1;

	for (size_t i = 0; i < governor->n; i++) {
		probe = &governor->probes[i];
		if (probe->state == TRIED)
			return;
		if (probe->state == PARKED && probe->until_ns <= now &&
		    (next < 0 || probe->until_ns < governor->probes[next].until_ns))
			next = (long)i;
	}
	if (next >= 0 && trial_ns(&governor->probes[next]) <= governor->credit_ns)
		let_back(governor, (size_t)next, now, TRIED);
}

static void decide(struct governor *governor, __u64 now)
{
	__u64 begin = governor->begin_ns;

	for (size_t i = 0; i < governor->n; i++)
		if (governor->probes[i].state == TRIED)
			judge(governor, i, now);
	if (now - begin >= WINDOW_NS) {
		close_window(governor, now);
		shed(governor, now);
		save(governor, (double)(now - begin));
	}
	try_one(governor, now);
}

static void let_all_back(struct governor *governor, __u64 now)
{
	for (size_t i = 0; i < governor->n; i++)
		if (governor->probes[i].state == PARKED && !governor->probes[i].refused)
			let_back(governor, i, now, ON);
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

double governor__wait_s(const struct governor *governor)
{
	for (size_t i = 0; i < governor->n; i++)
		if (governor->probes[i].state == TRIED)
			return governor->last_ns - governor->probes[i].since_ns < LOOK_NS ? SOON_S
											  : TRIAL_S;
	return WAIT_S;
}

bool governor__view(const struct governor *governor, size_t probe, struct governor_view *out)
{
	const struct watched *watched = &governor->probes[probe];

	if (probe >= governor->n || watched->state != PARKED)
		return false;
	*out = (struct governor_view){
		.hits_per_s = watched->hits_per_s,
		.cost = watched->cost,
		.until_ns = watched->until_ns,
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
