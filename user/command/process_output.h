/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the records of --processes go: to files of JSON records or selFIe's lines, to syslog,
 * into the recording.
 */
#ifndef USER_COMMAND_PROCESS_OUTPUT_H
#define USER_COMMAND_PROCESS_OUTPUT_H

#include "base/note_list.h"
#include "command/recorder.h"
#include "job/job_map.h"
#include "kernel/kernel.h"
#include "options/options.h"
#include "process/rank_sums.h"
#include "sink/json.h"
#include "sink/syslog.h"

struct unseen;
struct process_output;

/*
 * For --processes; without it *out is NULL, which the functions below take. json: or NULL; with run
 * it must outlive the output. 0, or a negative errno and why a file cannot be opened.
 */
int process_output__open(struct process_output **out, const struct options *options,
			 struct sink_json *json, const struct report_run *run, struct error *err);
/*
 * The kernel side is loaded. syslog and recorder: or NULL; they must outlive the output. 0, or a
 * negative errno.
 */
int process_output__start(struct process_output *output, const struct kernel *kernel,
			  struct sink_syslog *syslog, struct recorder *recorder, struct error *err);
/* Who knows how long functions were parked, once there is someone: its pointer is kept. */
void process_output__know_unseen(struct process_output *output, struct unseen *const *unseen);
/* All that can fail has not: the file that is appended to stays. */
int process_output__begin(struct process_output *output, struct error *err);

/* When it can be read, it is time to drain; it stays its own. -1: there is none. */
int process_output__fd(const struct process_output *output);

/* Tells of those that have ended; over: the counting is, and there will be no more of them. */
void process_output__drain(struct process_output *output, bool over);

/* Tells of those that live on, as far as they have done something since the last time. */
void process_output__interval(struct process_output *output);

/* From now on it is kept what ranks did. 0 or -ENOMEM. */
int process_output__keep_ranks(struct process_output *output, struct job_map jobs);

/*
 * Calls take for each rank of each job, and for each process of one that lives on: several times
 * for a rank. The account's job is its number; it is valid for the call.
 */
void process_output__each_rank(struct process_output *output,
			       void (*take)(void *context, const struct process_account *account),
			       void *context);

/* What a service that was killed may not have told. */
void process_output__note_interrupted(const struct process_output *output, struct note_list *notes);

/* After that, at the end: what is said of those that there was no room for. */
void process_output__finish(struct process_output *output, struct note_list *notes);

void process_output__close(struct process_output *output);

#endif
