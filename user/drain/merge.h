/* SPDX-License-Identifier: GPL-2.0-only */
/* Adding up the shards of a series. Only arithmetic: no maps. */
#ifndef USER_DRAIN_MERGE_H
#define USER_DRAIN_MERGE_H

#include <stdbool.h>

#include "drain/snapshot.h"

/* A series while its shards are added. */
struct merge {
	struct tm_series total;
	__u64 latency[TM_BUCKETS];
	__u64 size[TM_BUCKETS];
};

/* Begins with nothing; the key's shard is ignored. */
void merge__start(struct merge *merge, const struct tm_key *key);

/*
 * Adds a shard with its counts of all buckets. The counters must have been read after the counts.
 * A live reader may catch a call half counted: the histogram, where there is one, says how many.
 */
void merge__add(struct merge *merge, const struct tm_series *shard, const __u64 latency[TM_BUCKETS],
		const __u64 size[TM_BUCKETS]);

/* Adds a series whose shards are added up. */
void merge__add_series(struct merge *merge, const struct snapshot_series *series);

/* Adds the latencies that came since before, which is the series at an earlier read, or NULL. */
void latency__since(__u64 count[TM_BUCKETS], const struct snapshot_series *series,
		    const struct snapshot_series *before);

/* Is it what this series is already? */
bool merge__equals(const struct merge *merge, const struct snapshot_series *series);

/* The result, to be freed with free(); NULL without memory. */
struct snapshot_series *merge__finish(const struct merge *merge);

/* Adds the ledgers of a probe's shards. */
struct tm_ledger merge__ledgers(const struct tm_ledger *shards, __u32 n);
struct tm_call_ledger merge__call_ledgers(const struct tm_call_ledger *shards, __u32 n);

#endif
