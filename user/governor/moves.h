/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the governor knows of each probe, and how it is parked and let come back. Only for
 * user/governor.
 */
#ifndef USER_GOVERNOR_MOVES_H
#define USER_GOVERNOR_MOVES_H

#include "base/clock.h"
#include "governor/reading.h"

/*
 * Until a first look at what is tried, who is seen to be too dear then goes. And about how long it
 * takes to be looked at and to go, in which it costs on.
 */
#define LOOK_NS	 (10 * NS_PER_MS)
#define LEAVE_NS (20 * NS_PER_MS)

/*
 * Trials cost at most so much of what is left of the bound, or of this part of it: a machine whose
 * clock is slower than when a hit's cost was measured makes them several times as dear.
 */
#define TRIALS 0.2
#define LEAST  0.5

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
	double harm;
	unsigned int group;
	double rest;
	double switch_ns, leave_ns;
	bool fixed, part;
	/*
	 * A second, in processors; of what is parked, before; of a group that is not, what is left
	 * of parked probes.
	 */
	double cost;
	double hits_per_s; /* the same */
	double trial_ns;   /* CPU time that the last trial cost, with its end; 0: there was none */
	double toll;	   /* of a thread's time, for which it was parked; 0: it was for the node */
	__u64 rest_ns;	   /* the last one; 0: it was never parked */
	__u64 until_ns;	   /* PARKED */
	__u64 gone_ns;	   /* since then */
	__u64 since_ns;	   /* it came back */
	__u64 kept_ns;	   /* since when it was let stay after a trial; 0: it was not */
	/* TRIED: since then. */
	double tried_ns;
	__u64 tried_hits;
	__u64 over_ns; /* when it is to go, as it looks; 0: it may stay */
};

struct governor {
	struct governor_bounds bounds;
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
	double fixed_ns;
	unsigned int cpus;
	/* Of the last window, in processors. */
	double budget, total;
	double saved_ns; /* of the bound: what was left in the last seconds; negative: it is owed */
	bool over;	 /* the last window was */
	double credit_ns; /* for trials; never negative */
	struct governor_toll toll;
	unsigned int hard; /* windows in a row in which too much was taken from a thread */
};

/* Is it parked, or tried, with its group? */
bool moves__is_with_group(const struct governor *governor, const struct watched *probe);

/* The part of a probe that goes before it; NULL: it has none, or none that could go. */
const struct watched *moves__part(const struct governor *governor, size_t i);

void moves__park(struct governor *governor, size_t i, __u64 now);
/* With all that is in it; what it costs as a whole is known. */
void moves__park_group(struct governor *governor, unsigned int number, __u64 now);
/* The same as long as it costs something, as part of the window's sums. */
void moves__shed(struct governor *governor, size_t i, __u64 now);
void moves__shed_group(struct governor *governor, unsigned int number, __u64 now);

void moves__let_back(struct governor *governor, size_t i, __u64 now, enum state state);
void moves__let_group_back(struct governor *governor, unsigned int number, __u64 now);

/* What is left of a probe that is parked goes on being paid for. */
void moves__add_rest(struct governor *governor, const struct watched *probe);

/* What trials may cost, in processors. */
double moves__trials(const struct governor *governor);
/* One has cost so much; nothing is owed for it. */
void moves__pay_trial(struct governor *governor, double ns);

/* What it costs to put it back and away again, with its hits on its way out, of so much a second.
 */
double moves__change_ns(const struct watched *probe, double cost);

/* What a trial will cost now, as it looks, of a probe or a group. */
double moves__trial_ns(const struct governor *governor, const struct watched *probe);

#endif
