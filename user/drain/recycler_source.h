/* SPDX-License-Identifier: GPL-2.0-only */
/* The table that a recycler makes room in: the maps, or arrays of a test. */
#ifndef USER_DRAIN_RECYCLER_SOURCE_H
#define USER_DRAIN_RECYCLER_SOURCE_H

#include "drain/recycler.h"

/* Slots whose buckets are looked at together. */
enum recycler_side {
	RECYCLER_TO,
	RECYCLER_FROM,
	RECYCLER_SIDES,
};

struct recycler_source {
	struct tm_series *series; /* slots of them; written to */
	struct grown_map *map;	  /* which they are in; NULL: all are there */
	const __u32 *next_slot;
	__u32 *used_slots;
	__u32 slots;
	/*
	 * *out: the counts of a slot, TM_BUCKETS for each enum tm_histogram_kind, to be written to,
	 * until the next call for the same side. 0 or a negative errno.
	 */
	int (*buckets)(void *context, enum recycler_side side, __u32 slot, __u64 **out);
	/* Removes a key, and gives a slot to be used again: 0 or a negative errno. */
	int (*forget)(void *context, const struct tm_key *key);
	int (*give_back)(void *context, __u32 slot);
	void (*close)(void *context); /* NULL: nothing to close */
	void *context;
};

/* 0 and *out, which closes the source when it is freed; or -ENOMEM, with the source left open. */
int recycler__new_from(struct recycler **out, const struct recycler_source *source,
		       const struct job_ends *jobs, const struct recycler_limits *limits);

#endif
