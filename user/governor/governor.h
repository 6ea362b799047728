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

#include "governor/reading.h"

struct governor;

/* NULL: no memory. */
struct governor *governor__new(struct governor_bounds bounds);
void governor__free(struct governor *governor); /* NULL is fine */

/* Others, from the next reading on; without any, all come back. */
void governor__set_bounds(struct governor *governor, struct governor_bounds bounds);
struct governor_bounds governor__bounds(const struct governor *governor);

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
