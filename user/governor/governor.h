/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides which probes are taken away so that two bounds hold, and when they come back: all probes
 * together take no more than a share of what all processors of the node can do, and from no thread
 * more than a share of its elapsed time. Both hold over windows of seconds. Only decisions: who
 * calls reads the counters, and parks.
 *
 * Times are of any monotonic clock, in nanoseconds; costs are CPU time. A clock that jumps does no
 * harm: backwards, all waits begin anew; forwards, they are over.
 */
#ifndef USER_GOVERNOR_GOVERNOR_H
#define USER_GOVERNOR_GOVERNOR_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

struct governor;

/* Shares, 0.01 for 1 %; 0: there is no such bound. */
struct governor_bounds {
	double node;   /* of what all processors can do */
	double thread; /* of a thread's elapsed time */
};

/* The bounds where nobody says others. */
#define GOVERNOR_BOUND	      0.01
#define GOVERNOR_THREAD_BOUND 0.05

/* NULL: no memory. */
struct governor *governor__new(struct governor_bounds bounds);
void governor__free(struct governor *governor); /* NULL is fine */

/* Others, from the next reading on; without any, all come back. */
void governor__set_bounds(struct governor *governor, struct governor_bounds bounds);
struct governor_bounds governor__bounds(const struct governor *governor);

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
	/*
	 * What it takes to put it back and to take it away again, in ns of CPU time, and how long
	 * its hits cost on after it was told to go; 0: nothing, and LEAVE_NS (moves.h). Of a group,
	 * its last probe tells.
	 */
	double switch_ns, leave_ns;
};

#define GOVERNOR_GROUPS 2

/* What was taken from the thread from which most was, over a window. */
struct governor_toll {
	double ns;
	double elapsed_ns;  /* of the window, until now; 0: nothing is known */
	bool ended;	    /* the next reading is of another window */
	long load;	    /* the one that took most of it; -1: none did */
	unsigned int group; /* the same, where it was a group beside its probes; 0: none */
};

/* How long a window of the toll is, unless a trial begins or ends in it: governor__is_trying(). */
#define GOVERNOR_TOLL_NS 1000000000ULL

struct governor_reading {
	__u64 now_ns;
	unsigned int cpus; /* that are online; 0 is taken for 1 */
	double fixed_ns;   /* what probes cost that cannot be parked, without the loads */
	const struct governor_load *loads; /* by probe: more each time, if any are new */
	size_t n;
	struct governor_toll toll;
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

/* Is something let back to be tried? What it takes is best read from a window of its own. */
bool governor__is_trying(const struct governor *governor);

/* So many seconds from one reading to the next; less while a probe is being tried. */
double governor__wait_s(const struct governor *governor);
/* Is nothing parked, and each bound four times as far as what is used? Then it may be twice that.
 */
bool governor__is_calm(const struct governor *governor);

/* Of a probe that is parked: what it did before. */
struct governor_view {
	double hits_per_s;
	double cost;	/* of one processor: 0.6 is 60 % */
	double toll;	/* of a thread's time, where that was too much; else 0 */
	__u64 until_ns; /* when it comes back, at the earliest */
};

/* false: it is not parked. */
bool governor__view(const struct governor *governor, size_t probe, struct governor_view *out);
/* All parked ones. */
size_t governor__parked(const struct governor *governor);

#endif
