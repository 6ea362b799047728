/* SPDX-License-Identifier: GPL-2.0-only */
/* What `tmtrace top` shows of an interval: a row for each job; of jobs, for each layer; of a layer,
 * for each function. */
#ifndef USER_TOP_ROWS_H
#define USER_TOP_ROWS_H

#include "top/interval.h"

/* Every layer; else a layer's number as in struct tm_key. */
#define TOP_ALL_LAYERS (-1)

/* What a row is, from the whole to the parts. */
enum top_level {
	TOP_LEVEL_JOBS,
	TOP_LEVEL_LAYERS,
	TOP_LEVEL_FUNCTIONS,
	TOP_LEVEL_FUNCTION, /* one of these alone, with its latencies */
	TOP_LEVELS,
};

/* Of which jobs. */
enum top_whose {
	TOP_OF_ALL,
	TOP_OF_ONE,
	TOP_OF_CHOSEN, /* those that are asked for */
};

/* What is looked at. */
struct top_view {
	enum top_level level;
	enum top_whose whose;
	__u64 job;		/* of which */
	int layer;		/* TOP_ALL_LAYERS, or one */
	struct tm_key function; /* TOP_LEVEL_FUNCTION: which, as a row has it */
	bool vfs, block;	/* which of these are traced */
	bool trend;		/* with what was before */
};

/* Of a library's layer it is not known what reads and what writes: all is in the first. So it is
 * below jobs, where the functions tell. */
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
	TOP_WAITING,   /* of traced libraries: futex, poll, sleep; of devices: queued */
	TOP_DEVICE,    /* off the CPU inside file operations; of devices: served */
	TOP_TIMES,
};

struct top_row {
	struct tm_key key; /* who it is: of the members what tells rows apart, else 0 */
	const char *name;  /* the interval's */
	struct top_flow flows[TOP_FLOWS];
	__u64 operations, errors, in_flight;
	__u64 busy_ns;	/* time in operations that ended: the load; of library calls their own */
	__u64 total_ns; /* the same, of functions with what was called inside */
	__u64 max_ns;
	__u64 times_ns[TOP_TIMES];
	double processors;  /* of a job; negative: not known */
	__u64 memory_bytes; /* the same; JOB_UNKNOWN */
	bool about;	    /* some of it is estimated */
	size_t idle;	    /* so many intervals ago something came of it; 0: in this one */
};

struct top_rows {
	struct top_row *rows; /* in the order of their keys */
	size_t n, room;
	struct top_row sum; /* of all rows, without name and percentiles */
	/* Of the node, whatever the view; without percentiles. */
	struct top_row files, devices;
	struct top_part *parts; /* of its own */
	size_t n_parts, parts_room;
};

/*
 * A row for each job, layer or function with operations that ended in the interval, or were under
 * way at its end. rows, all zero at first, is filled anew; names are the interval's. 0, or -ENOMEM:
 * then there are fewer.
 */
int top_rows__collect(struct top_rows *rows, const struct top_view *view,
		      const struct top_interval *interval);
/* Adds a row without any figures for each that an interval so long ago has, and rows have not. */
int top_rows__add_idle(struct top_rows *rows, const struct top_view *view,
		       const struct top_interval *earlier, size_t ago);
void top_rows__free(struct top_rows *rows);

/* Is a leaf of an interval among what is looked at? */
bool top_view__has(const struct top_view *view, const struct top_interval *interval,
		   const struct top_leaf *leaf);

/* Can a view tell reads from writes, and where the time went? */
static inline bool top_view__has_flows(const struct top_view *view)
{
	return view->level == TOP_LEVEL_JOBS && view->layer < TM_LAYER_USER &&
	       (view->layer >= 0 || view->vfs || view->block);
}

static inline bool top_view__has_times(const struct top_view *view)
{
	return view->level != TOP_LEVEL_JOBS || view->layer == TOP_ALL_LAYERS ||
	       view->layer == TM_LAYER_VFS;
}

#endif
