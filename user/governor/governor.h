/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which probes are taken away so that all together cost the node no more than a share of the CPU
 * time that it spends, and when they come back. Only decisions: who calls reads the counters, and
 * parks.
 *
 * Times are of any monotonic clock, in nanoseconds; costs are CPU time.
 */
#ifndef USER_GOVERNOR_GOVERNOR_H
#define USER_GOVERNOR_GOVERNOR_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

struct governor;

/* The bound where nobody says another one. */
#define GOVERNOR_BOUND 0.01

/* A node that spends less than this many processors is taken for one that does. */
#define GOVERNOR_FLOOR 1.0

/* bound: the share, 0.01 for 1 %; 0: none. NULL: no memory. */
struct governor *governor__new(double bound);
void governor__free(struct governor *governor); /* NULL is fine */

/* Another bound, from the next reading on; 0 lets all come back. */
void governor__set_bound(struct governor *governor, double bound);
double governor__bound(const struct governor *governor);

/* What a probe did since the last reading. */
struct governor_load {
	__u64 hits;
	double cost_ns;
	bool fixed; /* it cannot be parked */
	/*
	 * What is missed without it, 0 is taken for 1: of two that cost the same, the one with the
	 * smaller number goes first; it counts as much as the cost.
	 */
	double harm;
	/*
	 * A part of the one before it in the array, which does without: it goes first, and comes
	 * back once that one is back. While it is too dear it is in for a part of the time, for
	 * samples, so that it never rests for long.
	 */
	bool part;
	/*
	 * What goes on costing where it is parked, unless its whole group is: of the group with
	 * that number, from 1 (0: none), and as a part of its cost.
	 */
	unsigned int group;
	double rest;
};

#define GOVERNOR_GROUPS 2

struct governor_reading {
	__u64 now_ns;
	double spent_ns; /* by the whole node since the last reading */
	double fixed_ns; /* of it, by what traces and cannot be parked, without the loads */
	const struct governor_load *loads; /* by probe: more each time, if any are new */
	size_t n;
	/* What groups cost as a whole since then, beside the hits of their probes; by number - 1.
	 */
	double groups_ns[GOVERNOR_GROUPS];
};

/* What is to be done with a probe: parked, or let come back. */
struct governor_order {
	size_t probe;
	bool park;
};

/*
 * Decides: *n orders, which are valid until the next reading; they are taken for carried out. NULL
 * with *n 0: none, or no memory.
 */
const struct governor_order *governor__read(struct governor *governor,
					    const struct governor_reading *reading, size_t *n);

/* A probe could not be put back yet: again in a while. */
void governor__delay(struct governor *governor, size_t probe);
/* A probe that was parked counts again, or is nobody's business: as if it had never been parked. */
void governor__release(struct governor *governor, size_t probe);
/* A probe could not be parked: it is never tried again. */
void governor__refuse(struct governor *governor, size_t probe);

/* Is a group parked as a whole, so that the rest is to be taken away, too? */
bool governor__group_parked(const struct governor *governor, unsigned int group);
/* As if it had never been; its probes are to be released, too. */
void governor__release_group(struct governor *governor, unsigned int group);

/* So many seconds from one reading to the next; less while a probe is being tried. */
double governor__wait_s(const struct governor *governor);

/* Of a probe that is parked: what it did before. */
struct governor_view {
	double hits_per_s;
	double cost;	/* of one processor: 0.6 is 60 % */
	__u64 until_ns; /* when it comes back, at the earliest */
};

/* false: it is not parked. */
bool governor__view(const struct governor *governor, size_t probe, struct governor_view *out);
/* All parked ones. */
size_t governor__parked(const struct governor *governor);

#endif
