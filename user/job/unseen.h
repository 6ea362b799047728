/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps, for each job, what is known of its calls of library functions while these were parked: for
 * how long of the job's life that was, and what came meanwhile, as far as slices of the time tell
 * (gap_estimate.h). It is written to series of its own beside those of the calls (enum tm_unseen),
 * so that it goes wherever these go. The kernel counts nothing of libraries by itself: here, it is
 * the time that says of how much the calls are.
 *
 * Times are ns since 1970, as unseen__now_ns() has them. One that goes back makes a gap or slice of
 * no length.
 */
#ifndef USER_JOB_UNSEEN_H
#define USER_JOB_UNSEEN_H

#include <linux/types.h>

#include "tmtrace/series.h"

struct unseen;

struct unseen_source {
	/* The series as they are in the kernel's map, until the next call; NULL with *n 0: none. */
	struct tm_series *(*series)(void *context, __u32 *n);
	/* Makes a series of that key. 0, or a negative errno: it is tried again. */
	int (*make)(void *context, const struct tm_key *key);
	/* When a job began and ended; 0: before it was counted, or not yet. */
	void (*life)(void *context, __u64 job, __u64 *start_ns, __u64 *end_ns);
	void *context;
	__u64 since_ns; /* nothing was counted before */
};

/* NULL: no memory. */
struct unseen *unseen__new(const struct unseen_source *source);
void unseen__free(struct unseen *unseen); /* NULL is fine */

/*
 * Now, by CLOCK_REALTIME as it was when this began: that it is set makes no gap longer or shorter.
 * NULL: 0.
 */
__u64 unseen__now_ns(const struct unseen *unseen);

/* What a function's probes have taken of the time until now. */
struct unseen_cost {
	double hit_ns;	     /* a hit of it */
	double thread_share; /* all of the thread from which most was taken; 1: not known */
};

/*
 * A probe on the function of that key (its layer and number) counts nothing from now on, or counts
 * again. A function is in a gap as long as one of its probes is parked. 0, or -ENOMEM: then its
 * calls of that gap are in no estimate.
 */
int unseen__begin(struct unseen *unseen, size_t probe, const struct tm_key *function,
		  const struct unseen_cost *cost, __u64 now_ns);
int unseen__end(struct unseen *unseen, size_t probe, __u64 now_ns);

/* Slices that have lasted so long are none: what is counted from then on stays. 0, or -ENOMEM. */
int unseen__tend(struct unseen *unseen, __u64 now_ns);

/* Brings the series up to date, for who is about to read them. NULL is fine. 0, or -ENOMEM. */
int unseen__write(struct unseen *unseen, __u64 now_ns);

/*
 * For how long of that time, in ns, a function of a layer was parked: of the one that was so
 * longest. NULL is fine.
 */
__u64 unseen__missed_ns(const struct unseen *unseen, __u8 layer, __u64 from_ns, __u64 to_ns);

#endif
