/* SPDX-License-Identifier: GPL-2.0-only */
/* Which records there are of a run, for every sink. */
#ifndef USER_SINK_RECORDS_H
#define USER_SINK_RECORDS_H

#include <stdbool.h>

#include "report/report.h"
#include "sink/record.h"

struct records {
	struct record *to; /* writes them; it says whether they could be made */
	const struct report_run *run;
	bool without_series; /* records of single series are left out */
	bool all_jobs; /* at the end also those whose end came before: nobody was told of it */
	/* The kernel's probes only of what the snapshot has calls of, or may lack some. */
	bool called_probes;
};

/* The run record, at its start and at its end. snapshot: the last one, for notes; NULL: none. */
void records__start(struct records *records);
void records__end(struct records *records, const struct snapshot *snapshot);

/*
 * If final of every series that has been used, with the probe and loss records (cumulative ones,
 * only then); else of those that moved since the read before.
 */
void records__snapshot(struct records *records, const struct snapshot *snapshot, bool final);

#endif
