/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the history that a recording holds to any sink, step by step. */
#ifndef USER_INPUTS_HISTORY_RECORDS_H
#define USER_INPUTS_HISTORY_RECORDS_H

#include "recording/recording_reader.h"
#include "sink/sink.h"

/* Both outlive it. */
struct history_records {
	struct recording *recording;
	struct sink *sink; /* of the recording's run */
};

/*
 * The records of the step that the recording is at. Of a snapshot the figures of what moved since
 * the one before; the last one of a run that has ended is final. 0, or what the sink said.
 */
int history_records__put(const struct history_records *records, enum recording_step step,
			 struct error *err);
/* The final figures of the snapshot that the recording is at, and what became of ADDB2 records. */
int history_records__final(const struct history_records *records, struct error *err);

#endif
