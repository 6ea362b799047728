/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is known of figures that are of a sample: of how much they are, and what all of it comes to.
 *
 * Of operations on files: while they were not counted, the kernel counted the system calls of the
 * job that read and write (tmtrace/task_io.h). What was counted of the job, by these calls, is
 * taken for what it did per call all the time (job/sampling.h says how far that may be off). Reads
 * are estimated by calls that read, writes by those that write, other operations by both. Of calls
 * of libraries that were all counted, but not all timed: by those that were.
 *
 * Every output takes it from here.
 */
#ifndef USER_REPORT_ESTIMATE_H
#define USER_REPORT_ESTIMATE_H

#include <stdbool.h>

#include "drain/drain.h"
#include "report/figures.h"
#include "report/gaps.h"
#include "tmtrace/account.h"
#include "tmtrace/task_io.h"

/* A figure of all, and its standard error: it is as likely as not within two thirds of that. */
struct estimated {
	__u64 value, error;
};

struct estimate {
	double coverage; /* the part of the calls of which the figures are: 0 to 1, below 1 */
	double unseen;	 /* of calls of libraries: the part that was not counted at all */
	/* false: of nothing that was seen follows what was not; the following are 0. */
	bool known;
	struct estimated count, bytes, total_ns;
};

/* What the kernel has counted of a job, and how much of that while operations were not. */
struct coverage {
	bool missed; /* false: all was counted; the following are nothing then */
	struct tm_task_io io;
	__u64 missing[TM_MISSED];
	__u64 spread[TM_SPREADS]; /* as in tmtrace/series.h */
	__u64 slices;
};

/* Of one job, whose series are first to end - 1. */
struct coverage coverage__of_job(const struct snapshot *snapshot, size_t first, size_t end);
/* Of the job of the series i. */
struct coverage coverage__at(const struct snapshot *snapshot, size_t i);
/* The same of what came since the read before. */
struct coverage coverage__interval(const struct snapshot *snapshot, size_t first, size_t end);

/* The part of a function's calls that was counted, as far as that is known: 1: all. */
double coverage__share(const struct coverage *coverage, __u32 function);

/*
 * What a function's figures come to where not all was counted. The function is one of enum
 * tm_vfs_function. false: all was; *out is nothing then.
 */
bool estimate__of_files(struct estimate *out, const struct coverage *coverage, __u32 function,
			__u64 count, __u64 bytes, __u64 total_ns);

/*
 * Adds to what a function's series did in an interval what it did of it unseen: as much per call of
 * the kernel's count as in all the time, which is all. since: of the interval. false: nothing.
 */
bool estimate__add_missed(struct figures *figures, const struct tm_series *total,
			  const struct coverage *all, const struct coverage *since);

/* The same of all operations on files of a job, whose series are first to end - 1. */
bool estimate__of_job(struct estimate *out, const struct coverage *coverage,
		      const struct snapshot *snapshot, size_t first, size_t end);

/* What was not seen of a job's calls of a function, as enum tm_unseen has it. */
struct unseen_calls {
	bool known; /* there were slices */
	__u64 figures[TM_UNSEENS];
};

/* Of the calls of a key; interval: since the read before. false: nothing is known of it. */
bool unseen_calls__of(struct unseen_calls *out, const struct snapshot *snapshot,
		      const struct tm_key *calls, bool interval);

/*
 * Of a series of calls of a library that were not all timed, or not all seen as the function was
 * parked: by the time, then (job/unseen.h). false: all were.
 */
bool estimate__of_calls(struct estimate *out, const struct snapshot *snapshot,
			const struct snapshot_series *series, const struct gaps *gaps);
/* The same of what came since the read before, of those that were not seen. */
bool estimate__of_calls_since(struct estimate *out, const struct snapshot *snapshot,
			      const struct tm_key *key, const struct figures *since);
/* Adds to what came of a function since the read before what was not seen of it. false: nothing. */
bool estimate__add_unseen(struct figures *figures, const struct snapshot *snapshot,
			  const struct tm_key *key);
/* Of all calls of a library's layer of a job; total_ns: without traced calls inside. */
bool estimate__of_layer(struct estimate *out, const struct snapshot *snapshot, size_t first,
			size_t end, __u8 layer, const struct gaps *gaps);

/* Of any series: whatever it is of. */
bool estimate__of_series(struct estimate *out, const struct snapshot *snapshot, size_t i,
			 const struct gaps *gaps);

/*
 * The same of all operations on files of a process. No slices are known of it: errors are 0, which
 * is not known.
 */
bool estimate__of_process(struct estimate *out, const struct tm_account_sums *sums);

/* Is it known of how much of all the series is? The kernel counts nothing but reads and writes. */
bool estimate__is_told(const struct snapshot *snapshot, size_t i);

#endif
