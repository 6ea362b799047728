/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From the kernel's maps to snapshots. All of them are mapped: counters are scanned, and the
 * buckets of histograms read where a count moved since the last snapshot.
 */
#ifndef USER_DRAIN_DRAIN_H
#define USER_DRAIN_DRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/error.h"
#include "drain/snapshot.h"
#include "job/job_map.h"
#include "object/object_table.h"
#include "probe/probe_table.h"
#include "tmtrace/call.h"
#include "tmtrace/series.h"

struct drain;
struct grown_map;

/* File descriptors of the maps (they stay the caller's), and their sizes. */
struct drain_maps {
	int series, buckets, ledgers;
	int calls, call_ledgers;     /* -1: single calls are not recorded */
	int processes, environments; /* -1: processes are not told apart */
	int operations;		     /* in flight */
	int pools;		     /* -1: no calls tell of any */
	__u32 slots, probes, shards, n_processes;
	int forget_key, free_slot; /* programs that give slots back, see recycler.h */
	__u32 *used_slots;	   /* for the same: how many are in use; that takes from it */
	const __u32 *next_slot;	   /* in the mmapped .bss: slots beyond were never used */
	const __u32 *next_process; /* the same of processes */
	struct object_maps objects;
	/* What is to be added to what probes have counted; NULL: nothing. */
	const struct probe_counts *const *moved;
	/* So many probes have a number by now; NULL: all. */
	const size_t *numbered;
};

/* 0 and *out (free with drain__free()), or -ENOMEM or why a map cannot be mapped. */
int drain__new(struct drain **out, const struct drain_maps *fds, struct error *err);
/* The same from the mapping that another has made, which must outlive it. 0, or -ENOMEM. */
int drain__share(struct drain **out, const struct drain *other);
/*
 * From now on, nothing is said of the oldest open operations. To look for them takes system calls
 * on a map, which keep the kernel from running programs (see window.h): not for who reads often.
 */
void drain__ignore_oldest(struct drain *drain);
void drain__free(struct drain *drain); /* NULL is fine */

/*
 * The mapping of the series, for a recycler, as long as the drain is there: what is mapped twice
 * counts twice as resident memory. NULL where the drain does not read the kernel's maps.
 */
struct grown_map *drain__map(const struct drain *drain);
/* The number of its slots that were ever in use, and can be looked at. */
__u32 drain__end_of_slots(const struct drain *drain);

/* The series of a slot as it is in the kernel, as long as the drain is there; NULL: no memory. */
const struct tm_series *drain__series(const struct drain *drain, __u32 slot);

/* Snapshots will have the objects of this table, too; it must outlive the drain. 0 or -ENOMEM. */
int drain__add_objects(struct drain *drain, struct object_table *objects);

/* From the next read on, series and objects have these jobs; to be called before the first one. */
void drain__map_jobs(struct drain *drain, const struct job_map *jobs);

/*
 * The ledger of a number as the kernel has it now, its shards added up: it only grows, whatever
 * probe has the number. No snapshot changes.
 */
struct tm_ledger drain__ledger(const struct drain *drain, size_t probe);
/* What the probe that has a number now has counted. */
struct probe_counts drain__counts(const struct drain *drain, size_t probe);

/*
 * Reads everything; *out lives until the next read or drain__free(). After an error the next read
 * catches up. A series that moves is read once more at the read after it came to rest, so that a
 * call which was caught half counted becomes whole.
 */
int drain__read(struct drain *drain, const struct snapshot **out, struct error *err);

/*
 * From now on single jobs can be read, too. recycled goes up where slots got another key by what
 * this process did (recycler__changes()); NULL: that is not known. 0, or -ENOMEM.
 */
int drain__index_jobs(struct drain *drain, const __u64 *recycled);

/* What who chooses jobs keeps of one as long as the drain has series of it; at first all is 0. */
struct job_note {
	__u64 marks; /* of its names */
	__u64 stamp; /* of which moment */
};

/* The jobs that are read; of the first probes, so many, the ledgers are read, too. */
struct drain_choice {
	bool (*chosen)(void *context, __u64 job, struct job_note *note);
	void *context;
	size_t probes;
};

/*
 * Reads the series of the jobs for which chosen is true, as drain__read() would: *out has these
 * alone, and intervals since the last drain__read(), from which the other probes' ledgers are.
 * Lives until the next read of either kind.
 */
int drain__read_jobs(struct drain *drain, const struct drain_choice *choice,
		     const struct snapshot **out, struct error *err);

#endif
