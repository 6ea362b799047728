/* SPDX-License-Identifier: GPL-2.0-only */
/* Which records there are of a run: for all sinks that take records, whatever they make of them. */
#ifndef USER_SINK_RECORD_SINK_H
#define USER_SINK_RECORD_SINK_H

#include "report/nodes.h"
#include "sink/record.h"
#include "sink/sink.h"

struct json_calls;

/* What such a sink begins with. */
struct record_sink {
	struct sink sink;
	struct record *to; /* makes them */
	const struct report_run *run;
	/* What could not be made or written since it was asked last: 0, or negative and why. */
	int (*report)(struct record_sink *sink, struct error *err);
	struct json_calls *calls; /* NULL: there were none yet */
	bool without_series;	  /* records of single series are left out */
	bool all_jobs; /* at the end also those whose end came before: nobody was told of it */
	/* The kernel's probes only of what the snapshot has calls of, or may lack some. */
	bool called_probes;
};

/* Another run's records from now on. */
void record_sink__use(struct record_sink *sink, const struct report_run *run);

/*
 * The callbacks of sink.h. A snapshot has, if final, a record of every series that was used, with
 * the probe and loss records (cumulative ones, only then); else of those that moved since the read
 * before.
 */
int record_sink__start(struct sink *sink, struct error *err);
int record_sink__snapshot(struct sink *sink, const struct snapshot *snapshot, bool final,
			  struct error *err);
int record_sink__calls(struct sink *sink, const struct call_batch *batch, struct error *err);
int record_sink__addb(struct sink *sink, const struct addb_record *record,
		      const struct addb_origin *origin, struct error *err);
int record_sink__addb_counts(struct sink *sink, const struct addb_counts *counts,
			     struct error *err);
int record_sink__process(struct sink *sink, const struct process_account *account,
			 struct error *err);
int record_sink__end(struct sink *sink, const struct snapshot *snapshot, struct error *err);

/* The nodes records of several runs, which the sink's run combines; snapshot is its own. */
int record_sink__nodes(struct record_sink *sink, const struct report_part *parts, size_t n,
		       const struct snapshot *snapshot, struct error *err);
/* What is unusual in a snapshot, and among the parts that it is made of. */
int record_sink__unusual(struct record_sink *sink, const struct report_part *parts, size_t n,
			 const struct snapshot *snapshot, struct error *err);

/* Frees what the above has made. */
void record_sink__clear(struct record_sink *sink);

#endif
