/* SPDX-License-Identifier: GPL-2.0-only */
/* What a drain knows of its series, and the scan that finds what moved. */
#ifndef USER_DRAIN_DRAIN_STATE_H
#define USER_DRAIN_DRAIN_STATE_H

#include <stdbool.h>

#include "drain/drain_source.h"
#include "drain/merge.h"
#include "job/job_map.h"
#include "object/object_table.h"

/* A key that has been seen; a job of several cgroups has a slot for each. */
struct known {
	struct tm_key key; /* first: the tree compares it; shard 0 */
	__u32 *slots;	   /* one per shard */
	size_t n_slots, slots_room;
	size_t at;	/* place in the snapshot */
	__u64 moved_at; /* number of the read that saw a counter move */
	bool active;
	bool has_taken_over; /* from others, since the last read: who records it has to look */
	struct snapshot_series *now, *before; /* the same where it is at rest */
};

/* What the last scan saw of a slot. */
struct seen {
	struct known *known;	     /* NULL: not live yet */
	__u16 state;		     /* of its slot: another one is another key's */
	__u64 count, in_flight, sum; /* sum: of what moves where these two do not */
};

struct job_reading;

struct drain {
	struct drain_source source;
	struct drain *peer; /* the next one on the ring; NULL: there is no other */
	struct job_map jobs;
	__u64 reads;
	struct seen *seen;   /* per slot */
	__u64 *slots_in_use; /* a bit per slot: it has a known series */
	void *tree;	     /* of struct known, tsearch(3) */
	size_t n_known, placed;
	bool is_misplaced; /* not all are where they were placed */
	struct known **active;
	size_t n_active, active_room;
	struct tm_key *gone; /* keys that are among others since this read */
	size_t n_gone, gone_room;
	__u64 *oldest; /* per slot, at this read: launch of the oldest open operation; 0: none */
	struct tm_ledger *ledgers;
	void *ledger_pages;		     /* in which they are */
	struct tm_call_ledger *call_ledgers; /* NULL: calls are not recorded */
	struct object_table *objects;	     /* NULL: they are not counted */
	struct object_list *object_list;
	struct snapshot snapshot;
	struct job_reading *by_job; /* NULL: single jobs are not read */
};

/* What moved, or is new, becomes active. 0 or -ENOMEM. */
int scan__all(struct drain *drain);
/* The same of those slots alone that were in no use. */
int scan__unused(struct drain *drain);
/* Has no slot of a series moved since the last scan? */
bool scan__is_at_rest(const struct drain *drain, const struct known *known);
/* Those that have no slot after a scan are among others, which the same scan has seen. The same. */
int scan__retire(struct drain *drain);
void scan__free_known(void *node);

/* What a drain's reading is made of. 0 or a negative errno. */
int drain__find_oldest(struct drain *drain, struct known *const *known, size_t n);
int drain__merge(struct drain *drain, const struct known *known, struct merge *merge);
int drain__read_objects(struct drain *drain, struct snapshot *out);
void drain__read_ledgers(struct drain *drain, size_t probes);
/* Of those with a number: there is room for many more. */
size_t drain__count_probes(const struct drain *drain);

void job_reading__free(struct job_reading *reading); /* NULL is fine */
/* What was read last is not looked at any more. The same. */
void job_reading__clear(struct job_reading *reading);
/* A series that the drain knows from now on, or no more. The first: 0 or -ENOMEM. */
int job_reading__add(struct drain *drain, struct known *known);
void job_reading__remove(struct drain *drain, const struct known *known);

#endif
