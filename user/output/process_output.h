/* SPDX-License-Identifier: GPL-2.0-only */
/* Takes what processes did, with --processes, from the kernel side to the sinks. */
#ifndef USER_OUTPUT_PROCESS_OUTPUT_H
#define USER_OUTPUT_PROCESS_OUTPUT_H

#include "base/note_list.h"
#include "job/job_map.h"
#include "kernel/kernel.h"
#include "options/options.h"
#include "output/sinks.h"
#include "process/rank_sums.h"

struct unseen;
struct process_output;

/*
 * For --processes; without it *out stays NULL, which the functions below take. The kernel side is
 * loaded; sinks must outlive the output. 0, or a negative errno; then it is to be closed, too.
 */
int process_output__start(struct process_output **out, const struct kernel *kernel,
			  struct sinks *sinks, struct error *err);
/* Who knows how long functions were parked, once there is someone: its pointer is kept. */
void process_output__know_unseen(struct process_output *output, struct unseen *const *unseen);
/* When it can be read, it is time to drain; it stays its own. output is not NULL. */
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
