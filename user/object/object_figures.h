/* SPDX-License-Identifier: GPL-2.0-only */
/* What the counters of a file or object say together. Only arithmetic. */
#ifndef USER_OBJECT_OBJECT_FIGURES_H
#define USER_OBJECT_OBJECT_FIGURES_H

#include <stddef.h>
#include <linux/types.h>

#include "tmtrace/object.h"

/* A file or object as a snapshot has it. */
struct snapshot_object {
	struct tm_object total;
	const char *name; /* path, or the object's; NULL: it has none */
	__u32 place;	  /* where it is kept, from 1; stays the same as long as it is this one */
	__u32 processes;  /* of how many it is the sum; 0: it is of the key's */
};

/* Puts them in the order of a snapshot: the one that took most time first. */
void snapshot_object__sort(struct snapshot_object **objects, size_t n);

/* Operations: reads or writes, also those that failed. */
__u64 object_access__count(const struct tm_access *access);

/* Of all operations; count, bytes and time of all objects of a job are those of its series. */
__u64 object__count(const struct tm_object *object);
__u64 object__bytes(const struct tm_object *object);
__u64 object__total_ns(const struct tm_object *object);
/* Operations that are neither reads nor writes. */
__u64 object__others(const struct tm_object *object);
__u64 object__opens(const struct tm_object *object); /* vfs */

/* How many of the sizes an access occurred with are known, the most frequent first; of common. */
size_t object_access__common(const struct tm_access *access,
			     struct tm_common_size out[TM_OBJECT_COMMON]);

/* Adds what another one counted; the key, the place and what comes last stay. */
void object__add(struct tm_object *to, const struct tm_object *from);

/* The order of keys: by job, layer, what, id, process. */
int object_key__order(const struct tm_object_key *a, const struct tm_object_key *b);

#endif
