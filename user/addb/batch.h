/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ADDB2 records, many in one piece of memory: what recordings keep. A batch needs no other one to
 * be understood.
 *
 *	struct addb_batch_header
 *	and so often as it says:
 *		struct addb_batch_record
 *		__u64 [n]		its words
 *		label_bytes of labels, as of labels.h
 *
 * All numbers are little endian.
 *
 *	if (!addb_batch__open(&batch, data, size))
 *		while (addb_batch__next(&batch, &record, &origin)) ...
 */
#ifndef USER_ADDB_BATCH_H
#define USER_ADDB_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "addb/record.h"

#define ADDB_BATCH_VERSION 1

struct addb_batch_header {
	__u32 version;
	__u32 n_records;
};

struct addb_batch_record {
	__u64 time_ns;	/* CLOCK_REALTIME: when it was made, or seen */
	__u64 stamp_ns; /* since 1970: the record's own time; without one, the same */
	__u64 job;	/* cgroup id */
	__u64 id;
	__u32 pid, tid;
	__u32 label_bytes;
	__u8 role; /* enum tm_addb_role */
	__u8 n;
	__u8 n_labels;
	__u8 unreadable; /* labels without their words */
};

struct addb_batch {
	const void *data; /* all of it */
	size_t size;
	size_t n_records;
	/* Where addb_batch__next() goes on, and how many are left from there. */
	const struct addb_batch_record *at;
	size_t left;
};

/*
 * Looks into a batch, which must be aligned to 8 and stay where it is. 0; -EBADMSG where it is
 * none, -ENOTSUP for another version.
 */
int addb_batch__open(struct addb_batch *out, const void *data, size_t size);

/* Copies the next record; false: there are no more. */
bool addb_batch__next(struct addb_batch *batch, struct addb_record *record,
		      struct addb_origin *origin);

#endif
