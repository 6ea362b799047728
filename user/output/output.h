/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the figures go: tables for people, or records. */
#ifndef USER_OUTPUT_OUTPUT_H
#define USER_OUTPUT_OUTPUT_H

#include "session/live_run.h"
#include "session/session.h"
#include "sink/syslog.h"

struct output;

/* Opens the file of --json, before anything is traced. The session must outlive the output. */
int output__open(struct output **out, const struct options *options, struct session *session,
		 char **argv, struct error *err);
/* Tracing begins: the first record. */
int output__start(struct output *output, struct error *err);
/* Has single calls taken as they come from the loop. 0, or a negative errno. */
int output__watch(struct output *output, struct loop *loop);
/*
 * The log gets what waits for it, and standard error how much it did not get, where no totals
 * follow with which that would be.
 */
void output__finish_log(struct output *output);
/* The interval's figures, or the totals. */
int output__print(struct output *output, bool final, struct error *err);
/* Writes the recording, where there is one; see recorder__write() for asked and what is an error.
 */
int output__record(struct output *output, bool asked, struct error *err);
/*
 * Of a service: how its history and its log fare, as long as the output is open; NULL: there is
 * none. output__hurry(): the next try of both is due at once.
 */
struct output_state *output__history_state(const struct output *output);
struct output_state *output__log_state(const struct output *output);
void output__hurry(struct output *output);
/* Other types and another rate for the log, where records are sent there. */
void output__choose_log(struct output *output, unsigned int types, unsigned int rate);
/* What became of the records that went there; all 0 where none do. */
void output__log_counts(const struct output *output, struct syslog_counts *out);
/* The figures that were recorded last; NULL: nothing was, or there is no recording. */
const struct snapshot *output__recorded(const struct output *output);
/* What they are read with: the output's own; NULL: nothing is recorded. */
struct drain *output__recorder_drain(const struct output *output);
/* As of process_output.h; without --processes there are none. */
int output__keep_ranks(struct output *output);
void output__each_rank(struct output *output,
		       void (*take)(void *context, const struct process_account *account),
		       void *context);
/* The run that is told of. */
struct live_run *output__live(const struct output *output);
/* One line on standard error about what was recorded. */
void output__tell(const struct output *output);
/*
 * 0, or a negative errno: not all that was to be written is there, which the user knows. NULL is
 * fine.
 */
int output__close(struct output *output);

#endif
