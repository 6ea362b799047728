/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Series of one job by what the metrics tell apart: a library's or the file systems' function, a
 * device and what was asked of it. Processes, mounts, file systems, and what requests are for, are
 * not told apart.
 */
#ifndef USER_METRICS_ROWS_H
#define USER_METRICS_ROWS_H

#include "metrics/sums.h"
#include "report/names.h"

/* What rows are of, each with metrics of its own. */
enum metric_kind {
	METRIC_CALLS,	   /* of libraries, and operations on files */
	METRIC_OPERATIONS, /* asynchronous ones, that libraries launch */
	METRIC_REQUESTS,   /* to devices */
	METRIC_KERNEL_IO,  /* what the kernel itself counts: of no function */
	METRIC_KINDS,
};

/* In place of a function: all those of the layer that have no row of their own. */
#define METRIC_OTHER (~0U)

struct metric_key {
	enum metric_kind kind;
	__u8 layer;
	__u32 function;		 /* METRIC_OTHER: then device is empty, too */
	char device[NAMES_ROOM]; /* by its name, filled up with NUL: numbers are used again */
};

struct metric_row {
	struct metric_key key;
	struct metric_sums sums;
	/*
	 * What was taken from the members' counters, or added, because they moved: from or into
	 * another row of the job. It is in the sums. NULL: nothing.
	 */
	struct metric_counters *moved;
	__u64 since_ns; /* CLOCK_REALTIME: it counts since then; 0: since the epoch began */
};

/* In the order of their keys. All zero at first. */
struct metric_rows {
	struct metric_row *rows;
	size_t n, room;
};

int metric_key__order(const struct metric_key *a, const struct metric_key *b);
static inline bool metric_key__is_other(const struct metric_key *key)
{
	return key->function == METRIC_OTHER;
}

/* The row of the others of the same kind and layer. */
struct metric_key metric_key__other(const struct metric_key *key);

/* METRIC_KINDS: a series is in none of the metrics; it stands beside, and would count twice. */
enum metric_kind metric_key__kind(const struct tm_key *key);

/* The row, which is new if there is none of that key; NULL: no memory. Until the next call. */
struct metric_row *metric_rows__get(struct metric_rows *rows, const struct metric_key *key);
/* The same; NULL: there is none. */
struct metric_row *metric_rows__find(const struct metric_rows *rows, const struct metric_key *key);

/* Adds series first to end - 1 of a snapshot, those that are shown. 0 or -ENOMEM. */
int metric_rows__add_series(struct metric_rows *rows, const struct report_run *run,
			    const struct snapshot *snapshot, size_t first, size_t end);

/* Leaves no row. */
void metric_rows__clear(struct metric_rows *rows);
void metric_rows__free(struct metric_rows *rows);

#endif
