/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the governor is told of the probes, and what it orders. Times are in ns, of any monotonic
 * clock; costs are CPU time.
 */
#ifndef USER_GOVERNOR_READING_H
#define USER_GOVERNOR_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* Shares, 0.01 for 1 %; 0: there is no such bound. */
struct governor_bounds {
	double node;   /* of what all processors can do */
	double thread; /* of a thread's elapsed time */
};

/* The bounds where nobody says others. */
#define GOVERNOR_BOUND	      0.01
#define GOVERNOR_THREAD_BOUND 0.05

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

#endif
