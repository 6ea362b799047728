/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the figures and records of a run go. Each kind of sink is a file: it has a struct sink and
 * fills in the callbacks that it wants. A run calls all of its sinks in turn, knowing none of them.
 */
#ifndef USER_SINK_SINK_H
#define USER_SINK_SINK_H

#include <stdbool.h>

#include "addb/record.h"
#include "calls/call_batch.h"
#include "process/account.h"
#include "report/report.h"

struct sink;

/* Any may be NULL. 0, or a negative errno and why; a sink goes on after an error where it can. */
struct sink_ops {
	/* Tracing begins, or reading of a recording: nothing else can fail any more. */
	int (*start)(struct sink *sink, struct error *err);
	/* The figures of an interval; final: of the run. */
	int (*snapshot)(struct sink *sink, const struct snapshot *snapshot, bool final,
			struct error *err);
	/* Single calls and operations. */
	int (*calls)(struct sink *sink, const struct call_batch *batch, struct error *err);
	/* A record of ADDB2; and what became of all of them so far. */
	int (*addb)(struct sink *sink, const struct addb_record *record,
		    const struct addb_origin *origin, struct error *err);
	int (*addb_counts)(struct sink *sink, const struct addb_counts *counts, struct error *err);
	/* What a process did. */
	int (*process)(struct sink *sink, const struct process_account *account, struct error *err);
	/* Some of the above came, and no more of them for now. */
	int (*flush)(struct sink *sink, struct error *err);
	/* The run has ended, with that snapshot; NULL: none. */
	int (*end)(struct sink *sink, const struct snapshot *snapshot, struct error *err);
	/* Frees it. */
	int (*close)(struct sink *sink, struct error *err);
};

/* What a sink begins with. */
struct sink {
	const struct sink_ops *ops;
};

/* 0 where the sink does not want it. */
#define SINK_CALL(sink, op, ...) ((sink)->ops->op ? (sink)->ops->op(sink, __VA_ARGS__) : 0)

#endif
