/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Takes the ADDB2 records that the kernel side tells out of its ring buffer. The kernel wakes the
 * reader by volume alone, so that it is to be called from time to time, too.
 */
#ifndef USER_ADDB_READER_H
#define USER_ADDB_READER_H

#include <stdbool.h>

#include "addb/filter.h"
#include "addb/record.h"
#include "base/error.h"
#include "job/job_map.h"

struct addb_reader;

/* How often addb_reader__drain() is to be called, at least: a record is seen so soon. */
#define ADDB_PERIOD_S 0.1

struct addb_reader_options {
	int ring;			  /* descriptor of tm_addb; it stays the caller's */
	int ledgers;			  /* of tm_addb_ledgers */
	__u32 shards;			  /* of the ledgers */
	struct job_map jobs;		  /* that records are of */
	const struct addb_filter *filter; /* must outlive the reader */
	/* Takes a record that is wanted, which is gone afterwards. */
	void (*take)(void *context, const struct addb_record *record,
		     const struct addb_origin *origin);
	void *context;
};

/* 0 and *out, -ENOMEM, or why the ring buffer cannot be read. */
int addb_reader__open(struct addb_reader **out, const struct addb_reader_options *options,
		      struct error *err);
void addb_reader__close(struct addb_reader *reader); /* NULL is fine; what is left is lost */

/* Can be read when the ring buffer has filled by a good part; it stays the module's. */
int addb_reader__fd(const struct addb_reader *reader);

/*
 * Hands over what has been told; while tracing goes on, for a moment at most. over: there will be
 * no more, take all. 0, or a negative errno.
 */
int addb_reader__drain(struct addb_reader *reader, bool over, struct error *err);

void addb_reader__count(const struct addb_reader *reader, struct addb_counts *counts);

#endif
