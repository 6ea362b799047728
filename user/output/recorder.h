/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes a session's figures into a recording, each second. That of a single run is given up once
 * writing fails; a service's, its history, is made anew after growing pauses, with everything that
 * can be known then, and recorder__state() says how it fares.
 */
#ifndef USER_OUTPUT_RECORDER_H
#define USER_OUTPUT_RECORDER_H

#include "addb/batch.h"
#include "calls/call_batch.h"
#include "process/account.h"
#include "recording/run_code.h"
#include "session/live_run.h"
#include "sink/output_state.h"
#include "sink/sink.h"

struct recorder;

/* How often the recording is written: what a SIGKILL of tmtrace loses at most. */
#define RECORDER_INTERVAL_S 1.0

/*
 * Makes the file of -o, before anything is traced; the run must outlive the recorder. Errors: what
 * is there is no recording or is being written, the disk is full, ... Of a service only those that
 * the configuration is to be changed for.
 */
int recorder__open(struct recorder **out, const struct options *options, struct live_run *live,
		   struct session *session, struct error *err);

/*
 * What it is called by as other sinks. Calls, in batches of at most recorder__batch_max() bytes,
 * ADDB2 records and processes are written as they come, figures by recorder__write(), and the last
 * ones at the end, also where the next try is not due yet. What fails is told on standard error.
 */
struct sink *recorder__sink(struct recorder *recorder);

/* What a recording says of this machine; boot_id is where its text is put. */
#define RECORDER_BOOT_ID 64
struct recording_about recorder__about(char boot_id[RECORDER_BOOT_ID]);

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

size_t recorder__batch_max(const struct recorder *recorder);

/* So many records of ADDB2 were too large for it. */
__u64 recorder__large_addb(const struct recorder *recorder);

/* One line on standard error: where the recording is, and how it is looked at. */
void recorder__tell(const struct recorder *recorder);

#endif
