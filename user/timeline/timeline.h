/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When it was: of one job and layer, what came in each of at most 200 bins of time. When they are
 * full, each two become one of twice the width, as in Darshan's heatmap: so the whole time is
 * there, in memory of fixed size. Bins begin at multiples of their width since 1970, so that
 * those of several nodes, or of any two widths, add up exactly.
 */
#ifndef USER_TIMELINE_TIMELINE_H
#define USER_TIMELINE_TIMELINE_H

#include "drain/histogram.h"

#define TIMELINE_BINS	200
#define TIMELINE_BIN_NS 100000000ULL /* of the narrowest ones */
/* No two times are so far apart that bins double as often: 2^64 ns are 2^31 of 200 bins. */
#define TIMELINE_DOUBLINGS 32

/* What came in a bin, or is added to one. */
struct timeline_bin {
	__u64 count, errors, bytes;
	__u64 time_ns; /* as struct layer_sum has it: of library calls their own */
	struct histogram latency;
};

/* Of what it is. */
struct timeline_about {
	__u64 job;
	__u8 layer;
	unsigned int doublings; /* of the narrowest bins */
	__u64 number;		/* its own, in a run; from 1 */
};

struct timeline;

/* Without a bin. NULL without memory. */
struct timeline *timeline__new(const struct timeline_about *about);
void timeline__free(struct timeline *timeline); /* NULL is fine */

/* As it is now. */
struct timeline_about timeline__about(const struct timeline *timeline);
/* How often something was added. */
__u64 timeline__additions(const struct timeline *timeline);

/*
 * Adds to the bin of a time (ns since 1970), wherever that is. 0 or -ENOMEM: then it is not whole
 * any more, and only to be freed.
 */
int timeline__add(struct timeline *timeline, __u64 time_ns, const struct timeline_bin *amount);
/* Adds all bins of another one. The same. */
int timeline__merge(struct timeline *to, const struct timeline *from);

/* Bins from the first to the last that have something, 0 to TIMELINE_BINS. */
size_t timeline__n(const struct timeline *timeline);
/* Valid until something is added. */
const struct timeline_bin *timeline__bin(const struct timeline *timeline, size_t i);
/* When the first bin begins (ns since 1970), and how long each is. */
__u64 timeline__start_ns(const struct timeline *timeline);
__u64 timeline__bin_ns(const struct timeline *timeline);

/* As histogram__quantile(), of which only the buckets are known; 0 where nothing was timed. */
__u64 timeline_bin__quantile(const struct timeline_bin *bin, unsigned int per_mille);

/* Bytes of memory that it takes, about. */
size_t timeline__size(const struct timeline *timeline);

#endif
