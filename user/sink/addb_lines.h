/* SPDX-License-Identifier: GPL-2.0-only */
/* ADDB2 records to a sink of JSON records: put together in memory, and written many at a time. */
#ifndef USER_SINK_ADDB_LINES_H
#define USER_SINK_ADDB_LINES_H

#include "addb/record.h"
#include "sink/json.h"

struct addb_lines;

/* sink and run, which it uses, must outlive it. NULL without memory. */
struct addb_lines *addb_lines__new(struct sink_json *sink, const struct report_run *run);
void addb_lines__free(struct addb_lines *lines); /* NULL is fine; what was not flushed is lost */

void addb_lines__put(struct addb_lines *lines, const struct addb_record *record,
		     const struct addb_origin *origin);
void addb_lines__put_counts(struct addb_lines *lines, const struct addb_counts *counts);

/* What was put is written. 0, or a negative errno as of sink_json__lines(). */
int addb_lines__flush(struct addb_lines *lines, struct error *err);

#endif
