/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records, one JSON object per line. A record is written whole or not at all: what a full disk cut
 * is taken back where the file allows it. Who writes to a pipe ignores SIGPIPE.
 */
#ifndef USER_SINK_JSON_H
#define USER_SINK_JSON_H

#include <stdbool.h>
#include <json-c/json.h>

#include "addb/record.h"
#include "calls/call_batch.h"
#include "process/account.h"
#include "report/nodes.h"

struct sink_json;

/*
 * Writes to an open stream, which stays the caller's and becomes unbuffered; name is copied. 0 and
 * *out (end with sink_json__close()), or -ENOMEM. run must outlive the sink.
 */
int sink_json__new(struct sink_json **out, FILE *file, const char *name,
		   const struct report_run *run, struct error *err);

/*
 * Records are written together from now on, so many bytes at once, and the rest at the end: nobody
 * reads them before. Errors are told then.
 */
void sink_json__gather(struct sink_json *sink, size_t bytes);

/* The last snapshot's records tell of all jobs: what is written is all that its reader knows. */
void sink_json__all_jobs(struct sink_json *sink);

/* Of the kernel's probes only those of what the snapshot has calls of, or may lack some. */
void sink_json__called_probes(struct sink_json *sink);

/* Another run's records from now on. */
void sink_json__use(struct sink_json *sink, const struct report_run *run);

/*
 * The run record at the start, and the one at the end (final). snapshot is the last one, for its
 * notes: NULL if there is none.
 */
int sink_json__run_start(struct sink_json *sink, struct error *err);
int sink_json__run_end(struct sink_json *sink, const struct snapshot *snapshot, struct error *err);

/*
 * The function and device records of a snapshot: if final of every series that has been used, with
 * the probe and loss records (cumulative ones, written only then); else of those that moved since
 * the read before.
 *
 * Errors, here and above: negative errno and one line that names the file and what was lost. Later
 * records are tried all the same.
 */
int sink_json__snapshot(struct sink_json *sink, const struct snapshot *snapshot, bool final,
			struct error *err);

/* The nodes records of several runs, which the sink's run combines; snapshot is its own. */
int sink_json__nodes(struct sink_json *sink, const struct report_part *parts, size_t n,
		     const struct snapshot *snapshot, struct error *err);

/* What is unusual in a snapshot, and among the parts that it is made of. As sink_json__nodes(). */
int sink_json__unusual(struct sink_json *sink, const struct report_part *parts, size_t n,
		       const struct snapshot *snapshot, struct error *err);

/* The call records of a batch, as they come. */
int sink_json__calls(struct sink_json *sink, const struct call_batch *batch, struct error *err);

/* The record of a process. */
int sink_json__process(struct sink_json *sink, const struct process_account *account,
		       struct error *err);

/*
 * A record of ADDB2, and what became of all of them. They are written together with others, at the
 * latest by sink_json__flush(), which says what could not be.
 */
void sink_json__addb(struct sink_json *sink, const struct addb_record *record,
		     const struct addb_origin *origin);
void sink_json__addb_counts(struct sink_json *sink, const struct addb_counts *counts);
int sink_json__flush(struct sink_json *sink, struct error *err);

/* A record that somebody else made, which is given back; NULL: there was no memory for it. */
int sink_json__record(struct sink_json *sink, struct json_object *record, struct error *err);

/* Ends the sink; an error says how many records were lost in all. NULL is fine. */
int sink_json__close(struct sink_json *sink, struct error *err);

#endif
