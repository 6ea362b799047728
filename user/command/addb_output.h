/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the ADDB2 records of --addb go: as text to a file or among the tables, as JSON records, to
 * syslog, into the recording.
 */
#ifndef USER_COMMAND_ADDB_OUTPUT_H
#define USER_COMMAND_ADDB_OUTPUT_H

#include "addb/reader.h"
#include "base/note_list.h"
#include "command/options.h"
#include "command/recorder.h"
#include "job/job_map.h"
#include "kernel/kernel.h"
#include "report/report.h"
#include "sink/json.h"
#include "sink/syslog.h"

struct addb_output;

/*
 * For --addb; without it *out is NULL, which the functions below take. tables: where text goes that
 * has no file, or NULL. json: or NULL; it must outlive the output. 0, or a negative errno
 * and why a file cannot be made.
 */
int addb_output__open(struct addb_output **out, const struct options *options, FILE *tables,
		      struct sink_json *json, struct error *err);
/*
 * The kernel side is loaded; records are of these jobs. syslog and recorder: or NULL; they must
 * outlive the output. 0, or a negative errno.
 */
int addb_output__start(struct addb_output *output, const struct kernel *kernel, struct job_map jobs,
		       struct sink_syslog *syslog, struct recorder *recorder, struct error *err);
/* All that can fail has not: what was in the file that is written goes. */
int addb_output__begin(struct addb_output *output, struct error *err);

/* -1: there is nothing to wait for. */
int addb_output__fd(const struct addb_output *output);

/* Takes and writes what there is; over: all of it. 0, or a negative errno. */
int addb_output__drain(struct addb_output *output, bool over, struct error *err);

/* The recording is about to get figures: with them, what became of the records so far. */
void addb_output__record(struct addb_output *output);

/* At the end: the record of what became of all records; what was lost is noted. */
void addb_output__finish(struct addb_output *output, struct note_list *notes);

void addb_output__close(struct addb_output *output);

#endif
