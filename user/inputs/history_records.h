/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the history that a recording holds to a sink of JSON, record by record. */
#ifndef USER_INPUTS_HISTORY_RECORDS_H
#define USER_INPUTS_HISTORY_RECORDS_H

#include "recording/recording_reader.h"
#include "sink/addb_lines.h"
#include "sink/json.h"

/* Both outlive it. */
struct history_records {
	struct recording *recording;
	struct sink_json *sink; /* uses the recording's run */
	struct addb_lines *addb;
};

/* Of both; addb is made. 0 or -ENOMEM. */
int history_records__open(struct history_records *records, struct recording *recording,
			  struct sink_json *sink, struct error *err);
void history_records__close(struct history_records *records); /* all 0 is fine */

/*
 * The records of the step that the recording is at. Of a snapshot the figures of what moved since
 * the one before; the last one of a run that has ended is final. 0, or what the sink said.
 */
int history_records__put(struct history_records *records, enum recording_step step,
			 struct error *err);
/* The final figures of the snapshot that the recording is at, and what became of ADDB2 records. */
int history_records__final(struct history_records *records, struct error *err);

#endif
