/* SPDX-License-Identifier: GPL-2.0-only */
/* What `tmtrace top` shows of an interval: a row for each job, from a snapshot and the one before.
 */
#ifndef USER_TOP_ROWS_H
#define USER_TOP_ROWS_H

#include "report/report.h"

/* Every layer; else a layer's number as in struct tm_key. */
#define TOP_ALL_LAYERS (-1)

/* What is looked at. */
struct top_view {
	int layer;	 /* TOP_ALL_LAYERS, or one */
	bool vfs, block; /* which of these are traced */
};

/* Of a library's layer it is not known what reads and what writes: all is in the first. */
enum top_flow_kind {
	TOP_READ,
	TOP_WRITE,
	TOP_FLOWS,
};

struct top_flow {
	__u64 bytes;
	__u64 timed;	      /* operations; 0: the percentiles are not known */
	__u64 p50_ns, p99_ns; /* latency */
};

/* Where the time of a job's threads went, each second in one of them. */
enum top_time {
	TOP_LIBRARIES, /* code of traced libraries, and system calls of theirs that are in no other
			*/
	TOP_FILES,     /* file operations, without the device */
	TOP_NETWORK,   /* of traced libraries */
	TOP_WAITING,   /* of traced libraries: futex, poll, sleep */
	TOP_DEVICE,    /* off the CPU inside file operations */
	TOP_TIMES,
};

struct top_row {
	__u64 job; /* 0: not of one job */
	char *name;
	struct top_flow flows[TOP_FLOWS];
	__u64 operations, errors, in_flight;
	__u64 busy_ns; /* time in operations that ended: the load */
	__u64 times_ns[TOP_TIMES];
};

struct top_rows {
	struct top_row *rows; /* in the order of their jobs */
	size_t n, room;
	struct top_row sum; /* of all rows, without name and percentiles */
	/* Of the node, whatever the view; without percentiles. */
	struct top_row files, devices;
};

/*
 * A row for each job with operations that ended since the read before, or are under way. rows, all
 * zero at first, is filled anew. 0, or -ENOMEM: then there are fewer.
 */
int top_rows__collect(struct top_rows *rows, const struct top_view *view,
		      const struct report_run *run, const struct snapshot *snapshot);
void top_rows__free(struct top_rows *rows);

/* Can a view tell reads from writes, and where the time went? */
static inline bool top_view__has_flows(const struct top_view *view)
{
	return view->layer < TM_LAYER_USER && (view->layer >= 0 || view->vfs || view->block);
}

static inline bool top_view__has_times(const struct top_view *view)
{
	return view->layer == TOP_ALL_LAYERS || view->layer == TM_LAYER_VFS;
}

#endif
