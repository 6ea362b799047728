/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records to a log daemon: a line each of at most 2 KiB, never split, as JSON behind the cookie
 * that daemons know (@cee:). To the journal also with fields. So many a second; the others are held
 * back and counted.
 */
#ifndef USER_SINK_SYSLOG_H
#define USER_SINK_SYSLOG_H

#include <stdbool.h>

#include "sink/output_state.h"
#include "sink/sink.h"

struct sink_syslog;

/* The most of a line, with all that syslog puts before it. */
#define SYSLOG_LINE 2048

enum syslog_type {
	SYSLOG_RUN,
	SYSLOG_FUNCTION,
	SYSLOG_OP,
	SYSLOG_BY_SIZE,
	SYSLOG_ASSOCIATION,
	SYSLOG_POOL,
	SYSLOG_DEVICE,
	SYSLOG_PROBE,
	SYSLOG_LOSS,
	SYSLOG_CALL,
	SYSLOG_OPERATION,
	SYSLOG_OBJECT,
	SYSLOG_ADDB,
	SYSLOG_ADDB_STATE,
	SYSLOG_ADDB_VALUE,
	SYSLOG_JOB,
	SYSLOG_PROCESS,
	SYSLOG_SELFIE, /* the same as selFIe has it */
	SYSLOG_TYPES,
};

/* What is there with --calls only. */
#define SYSLOG_RECORDED (1U << SYSLOG_CALL | 1U << SYSLOG_OPERATION)

/* What is there with --processes only. */
#define SYSLOG_PROCESSES (1U << SYSLOG_PROCESS | 1U << SYSLOG_SELFIE)

/* What is told of single series. */
#define SYSLOG_SERIES                                                               \
	(1U << SYSLOG_FUNCTION | 1U << SYSLOG_OP | 1U << SYSLOG_BY_SIZE |           \
	 1U << SYSLOG_ASSOCIATION | 1U << SYSLOG_DEVICE | 1U << SYSLOG_ADDB_STATE | \
	 1U << SYSLOG_ADDB_VALUE)

/* What is sent at intervals; the others when they happen, or at the end. */
#define SYSLOG_PERIODIC (SYSLOG_SERIES | 1U << SYSLOG_POOL | 1U << SYSLOG_JOB | 1U << SYSLOG_OBJECT)

/* As records name them. */
extern const char *const syslog_type_names[SYSLOG_TYPES];

struct syslog_options {
	const char *path;   /* of a syslog daemon's socket; NULL: the journal's, or /dev/log */
	bool journal;	    /* it is a journal's; with a path only */
	unsigned int types; /* 1 << enum syslog_type */
	unsigned int rate;  /* lines a second, and at once */
	bool patient;	    /* a daemon may come later, and go, see syslog_socket.h */
};

/*
 * 0 and *out; run must outlive it. Errors: no daemon listens there, unless patient; no memory. A
 * patient one for which no path was named waits for /dev/log where no journal is there yet: the
 * journal serves that, too.
 */
int sink_syslog__open(struct sink_syslog **out, const struct syslog_options *options,
		      const struct report_run *run, struct error *err);

/* From now on these types, at this rate, as in the options. */
void sink_syslog__choose(struct sink_syslog *sink, unsigned int types, unsigned int rate);

/*
 * What it is called by as the others; what does not arrive is counted. At the end it also sends
 * what was held back and lost, as a record of the type syslog, if anything was, and tells it on
 * standard error.
 */
struct sink *sink_syslog__sink(struct sink_syslog *sink);

/* Sends what waits for the daemon: every SYSLOG_PERIOD_S, and when that can be read: */
#define SYSLOG_PERIOD_S 0.2
void sink_syslog__flush(struct sink_syslog *sink);
/* A descriptor of the sink's; negative: none. */
int sink_syslog__fd(const struct sink_syslog *sink);
/* The last time, with a wait: what the daemon does not take is lost. Standard error tells that. */
void sink_syslog__finish(struct sink_syslog *sink);

struct syslog_counts {
	__u64 sent, held_back, lost, waiting;
};

void sink_syslog__counts(const struct sink_syslog *sink, struct syslog_counts *out);
/* Whether the daemon takes them; lives as long as the sink. */
struct output_state *sink_syslog__state(struct sink_syslog *sink);

#endif
