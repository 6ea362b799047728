/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads a recording: gives back a run and its last snapshot, as a live run has them, so that the
 * same tables and records are made of it; and walks through what the file has of its history.
 *
 *	recording__open(&recording, path, &err)
 *	... recording__run(), recording__snapshot(): the totals
 *
 *	recording__rewind(recording)
 *	while ((what = recording__next(recording, &err)) > 0) ...
 *	recording__update(recording, &err) and the loop again: what was written since
 */
#ifndef USER_RECORDING_RECORDING_READER_H
#define USER_RECORDING_RECORDING_READER_H

#include "addb/batch.h"
#include "calls/call_batch.h"
#include "process/account.h"
#include "recording/run_code.h"
#include "ring/ring_reader.h"

struct recording;

enum recording_step {
	RECORDING_STEP_END,
	RECORDING_STEP_SNAPSHOT, /* recording__snapshot() is that one, with the one before */
	RECORDING_STEP_CALLS,	 /* recording__calls() has them */
	RECORDING_STEP_ADDB,	 /* recording__addb() has ADDB2 records */
	RECORDING_STEP_ACCOUNT,	 /* recording__account() has what a process did */
};

/*
 * Reads all that is there, however much was cut off. Errors, beside those of ring_reader__open():
 * -ENOTSUP for one of another coding, -EBADMSG where what is intact does not say of which run it
 * is, -ENODATA where nothing was written yet.
 */
int recording__open(struct recording **out, const char *path, struct error *err);
void recording__close(struct recording *recording); /* NULL is fine */

/* Valid until the recording is closed; what it points to changes with each step. */
const struct report_run *recording__run(const struct recording *recording);
const struct recording_about *recording__about(const struct recording *recording);
/* The totals, or what the last step came to. Until the next step. */
const struct snapshot *recording__snapshot(const struct recording *recording);

/*
 * To the begin of what the file still has. A series whose first state is gone has no interval
 * before its second one.
 */
void recording__rewind(struct recording *recording);

/* Goes to the next snapshot, calls, ADDB2 records or process: enum recording_step, or -ENOMEM. */
int recording__next(struct recording *recording, struct error *err);

/* recording__snapshot() is then what was read so far, in all, without what was before. 0, -ENOMEM.
 */
int recording__total(struct recording *recording, struct error *err);

/*
 * The calls that the last step came to. Until the next step. -EBADMSG or -ENOTSUP where they make
 * no sense, which is counted.
 */
int recording__calls(struct recording *recording, struct call_batch *out);
/* The ADDB2 records that it came to, in the same way. */
int recording__addb(struct recording *recording, struct addb_batch *out);

/* What a process did, to which it came; NULL: that makes no sense, which is counted. */
const struct process_account *recording__account(struct recording *recording);

/* Finds what was written since. 0 or -ENOMEM. */
int recording__update(struct recording *recording, struct error *err);

struct recording_state {
	bool ended;	  /* the run is over, and all of it is here; else it goes on, or was cut */
	__u64 snapshots;  /* that were read */
	__u64 unreadable; /* entries in intact blocks that make no sense */
	__u64 other_version; /* batches of calls that this version of tmtrace does not know */
	__u64 addb_records;  /* ADDB2 records, in the file */
	__u64 accounts;	     /* of processes, in the file */
	struct ring_losses losses;
	struct ring_info info;
};

/* Of all that was read so far. */
void recording__state(const struct recording *recording, struct recording_state *out);

/* What became of the ADDB2 records of the run; false: none were asked for, as far as is known. */
bool recording__addb_counts(const struct recording *recording, struct addb_counts *out);

#endif
