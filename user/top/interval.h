/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What came from one reading of the figures to the next, and how it is called: all that `tmtrace
 * top` shows of it is made from this, whatever has become of the jobs since. Does not change.
 */
#ifndef USER_TOP_INTERVAL_H
#define USER_TOP_INTERVAL_H

#include "report/figures.h"
#include "top/meter.h"
#include "top/names.h"

/* A function of a job, all its processes together. */
struct top_leaf {
	struct tm_key key;	  /* process and shard are 0 */
	const char *layer, *name; /* one printable line each */
	struct figures figures;	  /* without percentiles */
	bool about;		  /* a part of them was not seen, and is estimated */
	__u32 first, n_buckets;	  /* of the latency, as in struct histogram */
	size_t counts;		  /* where theirs begin */
};

struct top_job {
	__u64 job;
	const char *name;   /* one printable line */
	double processors;  /* that it used; negative: not known */
	__u64 memory_bytes; /* the most at one time; JOB_UNKNOWN */
	__u64 start_ns;	    /* CLOCK_REALTIME; 0: not known */
	bool chosen;	    /* is it what is asked for? */
};

struct top_interval {
	unsigned int users;
	struct top_names *names;
	__u64 end_ns;	/* CLOCK_REALTIME */
	double seconds; /* that it took */
	struct top_cost cost;
	struct top_job *jobs; /* those that have leaves, by their numbers */
	size_t n_jobs, jobs_room;
	struct top_leaf *leaves; /* as key_order() has them */
	size_t n_leaves, leaves_room;
	__u32 *counts; /* of all leaves' buckets, 4 billion at the most */
	size_t n_counts, counts_room;
};

/* The two as one, the second being the later one. 0 and *out, with one user, or -ENOMEM. */
int top_interval__merge(struct top_interval **out, const struct top_interval *a,
			const struct top_interval *b);
/* One more user, and one less: the last one frees it. NULL is fine. */
struct top_interval *top_interval__share(struct top_interval *interval);
void top_interval__give(struct top_interval *interval);

/* Of what nothing came there is none: NULL. */
const struct top_job *top_interval__job(const struct top_interval *interval, __u64 job);
const struct top_leaf *top_interval__leaf(const struct top_interval *interval,
					  const struct tm_key *key);

/* Adds the latencies of one of its leaves to an array of all buckets. */
void top_interval__add_latency(const struct top_interval *interval, const struct top_leaf *leaf,
			       __u64 count[TM_BUCKETS]);

/* Bytes of memory that it takes, names apart. */
size_t top_interval__size(const struct top_interval *interval);

/*
 * For who makes one: with one user and nothing in it, NULL without memory; then jobs and leaves in
 * their order, whose names it takes over, with the latencies of the last leaf. 0 or -ENOMEM.
 */
struct top_interval *top_interval__allocate(struct top_names *names);
int top_interval__put_job(struct top_interval *interval, const struct top_job *job);
int top_interval__put_leaf(struct top_interval *interval, const struct top_leaf *leaf);
int top_interval__put_latency(struct top_interval *interval, const __u64 count[TM_BUCKETS]);
/* Gives back the room that was not needed. */
void top_interval__fit(struct top_interval *interval);

#endif
