/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records, one JSON object per line. A record is written whole or not at all: what a full disk cut
 * is taken back where the file allows it. Who writes to a pipe ignores SIGPIPE.
 */
#ifndef USER_SINK_JSON_H
#define USER_SINK_JSON_H

#include <stdio.h>

#include "sink/record_sink.h"

/*
 * Writes to an open stream, which stays the caller's and becomes unbuffered; name is copied. 0 and
 * *out (end it with the callback close), or -ENOMEM. run must outlive the sink.
 *
 * Errors of the callbacks: negative errno and one line that names the file and how many records
 * were lost; of close, of all that were. Later records are tried all the same. Single calls of a
 * batch, and ADDB2 records until flush, are written together.
 */
int sink_json__new(struct record_sink **out, FILE *file, const char *name,
		   const struct report_run *run, struct error *err);

/*
 * The same to the file at path, "-" is standard output; user as of output_file__open(). What is in
 * it stays until the callback start, or, for who does not call that, until sink_json__begin().
 */
int sink_json__open(struct record_sink **out, const char *path, const char *user,
		    const struct report_run *run, struct error *err);
int sink_json__begin(struct record_sink *sink, struct error *err);

/*
 * Records are written together from now on, so many bytes at once, and the rest at the end: nobody
 * reads them before. Errors are told then.
 */
void sink_json__gather(struct record_sink *sink, size_t bytes);

#endif
