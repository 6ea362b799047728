/* SPDX-License-Identifier: GPL-2.0-only */
/* What a drain has read at one moment: counters and histograms by key, ledgers, files. */
#ifndef USER_DRAIN_SNAPSHOT_H
#define USER_DRAIN_SNAPSHOT_H

#include <stddef.h>
#include <linux/types.h>

#include "drain/histogram.h"
#include "tmtrace/call.h"
#include "tmtrace/series.h"

struct snapshot_object;
struct timeline;

/*
 * One series, its shards added up. Counters as in struct tm_series, whose key has shard 0. The sum
 * of latency is total.count, or 0 where calls are only counted (entry-only functions).
 */
struct snapshot_series {
	struct tm_series total;
	struct histogram latency; /* ns */
	struct histogram size;	  /* bytes */
	__u32 drains;		  /* that share it, see drain_peers.h */
};

struct snapshot {
	__u64 time_ns; /* CLOCK_REALTIME */
	__u64 monotonic_ns;
	__u64 before_ns; /* time_ns of the read before, 0 if there was none */
	size_t n_series;
	const struct snapshot_series **series; /* as key_order() has them */
	const struct snapshot_series **before; /* the same at the read before; NULL: it is new */
	/* Those that the read before had, and that count with TM_JOB_OTHERS now. */
	size_t n_gone;
	const struct tm_key *gone;
	size_t n_ledgers;
	const struct tm_ledger *ledgers;	   /* per probe, shards added up */
	const struct tm_call_ledger *call_ledgers; /* the same; NULL: calls are not recorded */
	/* Files and objects, the one that took most time first; 0: they are not counted. */
	size_t n_objects;
	const struct snapshot_object *const *objects;
	/* By job and layer; 0: none were kept. The snapshot of a drain has none by itself. */
	size_t n_timelines;
	struct timeline *const *timelines;
};

#endif
