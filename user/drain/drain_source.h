/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a drain reads from: the maps, or arrays of a test. */
#ifndef USER_DRAIN_DRAIN_SOURCE_H
#define USER_DRAIN_DRAIN_SOURCE_H

#include "base/error.h"
#include "base/grown_map.h"
#include "probe/probe_table.h"
#include "tmtrace/call.h"
#include "tmtrace/series.h"

struct drain;

struct drain_source {
	const struct tm_series *series;		   /* slots of them */
	struct grown_map *map;			   /* which they are in; NULL: all are there */
	const struct tm_ledger *ledgers;	   /* index: probe * shards + shard */
	const struct tm_call_ledger *call_ledgers; /* the same; NULL: there are none */
	const struct probe_counts *const *moved;   /* by probe: to be added; NULL: nothing is */
	const size_t *numbered;			   /* probes beyond have no counts; NULL: none is */
	const __u32 *next_slot;
	__u32 slots, probes, shards;
	/* Reads the TM_BUCKETS counts at an index of tm_buckets: 0 or a negative errno. */
	int (*read_buckets)(void *context, __u32 index, __u64 *count);
	/*
	 * Notes for each slot when the oldest of its operations that are open was launched, where
	 * that is earlier than what is there (CLOCK_MONOTONIC; 0: nothing). NULL: there are none.
	 */
	int (*find_oldest)(void *context, __u64 *launch_ns, __u32 slots);
	void (*close)(void *context); /* NULL: nothing to close */
	void *context;
};

/* 0 and *out, which closes the source when it is freed; or -ENOMEM, with the source left open. */
int drain__new_from(struct drain **out, const struct drain_source *source);

#endif
