/* SPDX-License-Identifier: GPL-2.0-only */
/* Which records there are of a run, for every sink: put gets each one, and gives it back. */
#ifndef USER_SINK_RECORDS_H
#define USER_SINK_RECORDS_H

#include <stdbool.h>
#include <json-c/json.h>

#include "report/report.h"
#include "sink/json_text.h"

struct records_sink {
	void (*put)(void *context, struct json_object *record); /* NULL: without memory */
	/* The same as text, without a newline, of which most are; which is not given back. */
	void (*put_text)(void *context, const struct json_text *record);
	void *context;
	bool without_series; /* put would only throw records of single series away */
	bool all_jobs; /* at the end also those whose end came before: nobody was told of it */
	/* The kernel's probes only of what the snapshot has calls of, or may lack some. */
	bool called_probes;
};

void records__run_start(const struct records_sink *sink, const struct report_run *run);
/* snapshot is the last one, for its notes: NULL if there is none. */
void records__run_end(const struct records_sink *sink, const struct report_run *run,
		      const struct snapshot *snapshot);

/*
 * If final of every series that has been used, with the probe and loss records (cumulative ones,
 * only then); else of those that moved since the read before.
 */
void records__snapshot(const struct records_sink *sink, const struct report_run *run,
		       const struct snapshot *snapshot, bool final);

#endif
