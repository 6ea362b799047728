/* SPDX-License-Identifier: GPL-2.0-only */
/* Puts a run and its snapshots into a ring file, each time only what has changed. */
#ifndef USER_RECORDING_RECORDING_WRITER_H
#define USER_RECORDING_RECORDING_WRITER_H

#include "addb/batch.h"
#include "calls/call_batch.h"
#include "process/account.h"
#include "recording/run_code.h"

struct recording_writer;

/*
 * A recording of size bytes in an empty file, as from ring_file__make(). After success the fd
 * belongs to the writer. path is for messages. Errors as of ring_writer__create().
 */
int recording_writer__create(struct recording_writer **out, int fd, const char *path, __u64 size,
			     struct error *err);

/* The run begins: what it is is in the file when this returns. */
int recording_writer__start(struct recording_writer *writer, const struct report_run *run,
			    const struct recording_about *about, struct error *err);

/*
 * A snapshot of a drain that nobody else reads: what its series have in common with the ones of the
 * read before is not written again. final: tracing has ended; it is in the file when this returns.
 *
 * Errors: -ENOSPC where the file is too small for so many series (the text says what would do;
 * what fits is written), or what writing says. What comes after an error is not complete.
 */
int recording_writer__snapshot(struct recording_writer *writer, const struct report_run *run,
			       const struct snapshot *snapshot, bool final, struct error *err);

/*
 * Single calls of a run, and before them what has changed of the processes that made them; the
 * oldest calls go. -E2BIG for more than fit in a block.
 */
int recording_writer__calls(struct recording_writer *writer, const struct report_run *run,
			    const struct call_batch *batch, struct error *err);
/* ADDB2 records, in the same way. */
int recording_writer__addb(struct recording_writer *writer, const struct addb_batch *batch,
			   struct error *err);
/* What a process did, in the same way; run: where its job has its name. */
int recording_writer__account(struct recording_writer *writer, const struct report_run *run,
			      const struct process_account *account, struct error *err);
/* What became of ADDB2 records so far; it goes with the next snapshot. Errors as of that. */
int recording_writer__addb_counts(struct recording_writer *writer, const struct addb_counts *counts,
				  struct error *err);

/* Waits until what was put is in the file: readers see it. */
int recording_writer__flush(struct recording_writer *writer, struct error *err);

/* Bytes of the largest batch in a recording of that size. */
size_t recording_writer__batch_max_of(__u64 size);

/* Ends it; also after an error of writing. NULL is fine. */
int recording_writer__close(struct recording_writer *writer, struct error *err);

#endif
