/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes a session's figures into a recording, each second. */
#ifndef USER_COMMAND_RECORDER_H
#define USER_COMMAND_RECORDER_H

#include "addb/batch.h"
#include "calls/call_batch.h"
#include "command/live_run.h"
#include "process/account.h"
#include "recording/run_code.h"

struct recorder;

/* How often the recording is written: what a SIGKILL of tmtrace loses at most. */
#define RECORDER_INTERVAL_S 1.0

/*
 * Makes the file of -o, before anything is traced; the run must outlive the recorder. Errors: what
 * is there is no recording or is being written, the disk is full, ...
 */
int recorder__open(struct recorder **out, const struct options *options, struct live_run *live,
		   struct error *err);

/* What a recording says of this machine; boot_id is where its text is put. */
#define RECORDER_BOOT_ID 64
struct recording_about recorder__about(char boot_id[RECORDER_BOOT_ID]);

/* Tracing begins. */
int recorder__start(struct recorder *recorder, struct session *session, struct error *err);

/*
 * What has come since. Once that fails the recording is given up: the first error is returned, and
 * then 0.
 */
int recorder__write(struct recorder *recorder, struct error *err);

/* The figures that were read last, whether they could be written or not; NULL: none yet. */
const struct snapshot *recorder__latest(const struct recorder *recorder);

/* The drain that they are read with; it lives as long as the recorder. NULL: not started. */
struct drain *recorder__drain(const struct recorder *recorder);

/* Single calls, as they come, in batches of at most recorder__batch_max() bytes. As above. */
int recorder__calls(struct recorder *recorder, const struct call_batch *batch, struct error *err);
/* ADDB2 records, in the same way; and what became of them so far, for the next figures. */
int recorder__addb(struct recorder *recorder, const struct addb_batch *batch, struct error *err);
int recorder__addb_counts(struct recorder *recorder, const struct addb_counts *counts,
			  struct error *err);
/* What a process did, in the same way. */
int recorder__account(struct recorder *recorder, const struct process_account *account,
		      struct error *err);
size_t recorder__batch_max(const struct recorder *recorder);

/* The last figures, with the time of that snapshot; NULL: of now. */
int recorder__finish(struct recorder *recorder, const struct snapshot *as_of, struct error *err);

/* One line on standard error: where the recording is, and how it is looked at. */
void recorder__tell(const struct recorder *recorder);

/*
 * Ends it. What then fails is told on standard error; NULL is fine. 0, or a negative errno: the
 * recording is not complete, whenever that was.
 */
int recorder__close(struct recorder *recorder);

#endif
