/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes a session's figures into a recording, each second. That of a single run is given up once
 * writing fails; a service's, its history, is made anew after growing pauses, with everything that
 * can be known then, and recorder__state() says how it fares.
 */
#ifndef USER_COMMAND_RECORDER_H
#define USER_COMMAND_RECORDER_H

#include "addb/batch.h"
#include "calls/call_batch.h"
#include "process/account.h"
#include "recording/run_code.h"
#include "session/live_run.h"
#include "sink/output_state.h"

struct recorder;

/* How often the recording is written: what a SIGKILL of tmtrace loses at most. */
#define RECORDER_INTERVAL_S 1.0

/*
 * Makes the file of -o, before anything is traced; the run must outlive the recorder. Errors: what
 * is there is no recording or is being written, the disk is full, ... Of a service only those that
 * the configuration is to be changed for.
 */
int recorder__open(struct recorder **out, const struct options *options, struct live_run *live,
		   struct error *err);

/* What a recording says of this machine; boot_id is where its text is put. */
#define RECORDER_BOOT_ID 64
struct recording_about recorder__about(char boot_id[RECORDER_BOOT_ID]);

/* Tracing begins. */
int recorder__start(struct recorder *recorder, struct session *session, struct error *err);

/*
 * What has come since; asked: as it is now, also what threads do that are not looked at each
 * second, see task_passes__keep_up(). Once that fails the recording is given up: the first error is
 * returned, and then 0. Of a service, what cannot be written is no error, but in its state.
 */
int recorder__write(struct recorder *recorder, bool asked, struct error *err);

/* Of a service: whether the history is written; lives as long as the recorder. */
struct output_state *recorder__state(struct recorder *recorder);

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

/* The last figures, also where the next try is not due yet, with the time of that snapshot; NULL:
 * of now. */
int recorder__finish(struct recorder *recorder, const struct snapshot *as_of, struct error *err);

/* One line on standard error: where the recording is, and how it is looked at. */
void recorder__tell(const struct recorder *recorder);

/*
 * Ends it. What then fails is told on standard error; NULL is fine. 0, or a negative errno: the
 * recording is not complete, whenever that was.
 */
int recorder__close(struct recorder *recorder);

#endif
