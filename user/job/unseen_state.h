/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of unseen.h share. Internal to them. */
#ifndef USER_JOB_UNSEEN_STATE_H
#define USER_JOB_UNSEEN_STATE_H

#include <stdbool.h>

#include "base/id_map.h"
#include "base/less.h"
#include "job/gap_estimate.h"
#include "job/gap_times.h"
#include "job/unseen.h"

/* What is counted of a function and a job. Calls count as they begin. */
struct unseen_tally {
	__u64 begun, untimed, bytes, total_ns;
};

enum unseen_phase {
	PHASE_GAP,   /* a probe of it is parked */
	PHASE_SLICE, /* since a gap, for so short that it is a sample of it */
	PHASE_STAYS,
};

struct unseen_function {
	__u8 layer;
	__u32 number;
	enum unseen_phase phase;
	__u64 since_ns; /* of the phase */
	unsigned int parked;
	struct unseen_cost cost; /* of its last slice */
	struct gap_times gaps;	 /* that are over */
	struct id_map jobs;
	bool was_read;
};

struct unseen_job {
	__u64 id, stamp;
	__u64 start_ns, end_ns;		/* 0: it goes on */
	struct unseen_tally now, begin; /* at the begin of the slice */
	double before_ns;		/* the gap before it */
	double slice_ns, calls;		/* of the slice that is over */
	double time_per_call;
	struct gap_estimate estimate;
	struct tm_series *out;	/* NULL: there is none yet */
	__u64 base[TM_UNSEENS]; /* what it had before this process */
	bool has_base;
	bool is_new; /* it is read for the first time just now */
};

/* A probe that is parked. */
struct parked_probe {
	size_t number;
	struct unseen_function *function;
};

struct unseen {
	struct unseen_source source;
	struct unseen_function **functions;
	size_t n, room;
	struct parked_probe *parked;
	size_t n_parked, parked_room;
	__u64 stamp, written_ns;
	__u64 offset_ns; /* from CLOCK_MONOTONIC; modulo 2^64 */
};

/* For each job of a function. */
#define FOR_EACH_JOB(function, job)                           \
	for (size_t at = 0; at < (function)->jobs.room; at++) \
		if (((job) = (function)->jobs.entries[at].value) != NULL)

static inline __u64 load(const __u64 *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

/* NULL: no probe on it was ever parked. */
struct unseen_function *unseen__find_function(const struct unseen *unseen,
					      const struct tm_key *key);

/* Reads all that is counted, of one function (only) or of all (NULL). 0, or -ENOMEM. */
int unseen__read(struct unseen *unseen, const struct unseen_function *only);

/* How much of a time the job was there, in ns. */
double unseen__lived_ns(const struct unseen_job *job, __u64 from_ns, __u64 to_ns);

#endif
