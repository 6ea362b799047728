/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sinks that the options of a run ask for. A further kind of sink is a file that fills in a
 * struct sink (sink/sink.h), with a function that opens it, and a line in the list of sinks.c.
 */
#ifndef USER_OUTPUT_SINKS_H
#define USER_OUTPUT_SINKS_H

#include <stdio.h>

#include "options/options.h"
#include "session/live_run.h"
#include "session/session.h"
#include "sink/sink.h"

struct recorder;

struct sinks {
	const struct options *options;
	struct session *session;
	struct live_run *live;
	FILE *tables;		    /* where tables go; NULL: nobody asked for them */
	struct recorder *recorder;  /* one of the sinks; NULL: there is none */
	struct sink_syslog *syslog; /* the same */
	struct sink *at[8];
	size_t n;
};

/* Opens one, if the options ask for it: else *out stays NULL. 0, or a negative errno. */
typedef int sink_open(struct sink **out, struct sinks *sinks, struct error *err);
sink_open table_sink__open, addb_text__open_sink, selfie_sink__open;

/*
 * Opens all of them, before anything is traced; what the sinks begin with must be set, and outlive
 * them. 0, or a negative errno; end it with sinks__close() in any case.
 */
int sinks__open(struct sinks *sinks, struct error *err);

/* Tracing begins. The first one that fails ends it. */
int sinks__start(struct sinks *sinks, struct error *err);

/*
 * What happens while it is traced: a callback of all of them. What fails then is told by the sink,
 * at once or at the end.
 */
#define SINKS_TELL(sinks, op, ...)                                          \
	for (size_t tell_i = 0; tell_i < (sinks)->n; tell_i++) {            \
		struct error untold;                                        \
                                                                            \
		SINK_CALL((sinks)->at[tell_i], op, ##__VA_ARGS__, &untold); \
	}

/* The figures of an interval; final: of the run, which ends. The first error; all are tried. */
int sinks__figures(struct sinks *sinks, const struct snapshot *snapshot, bool final,
		   struct error *err);

/* Ends them; the first error, which is told on standard error unless the user knows already. */
int sinks__close(struct sinks *sinks, bool is_known);

#endif
