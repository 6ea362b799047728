/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the records of --processes go: to a file of JSON records, to syslog. */
#ifndef USER_COMMAND_PROCESS_OUTPUT_H
#define USER_COMMAND_PROCESS_OUTPUT_H

#include "base/note_list.h"
#include "command/options.h"
#include "kernel/kernel.h"
#include "sink/json.h"
#include "sink/syslog.h"

struct process_output;

/*
 * For --processes, once the kernel side is loaded; without it *out is NULL, which the functions
 * below take. json and syslog, or NULL, must outlive it. 0, or a negative errno.
 */
int process_output__open(struct process_output **out, const struct options *options,
			 const struct kernel *kernel, struct sink_json *json,
			 struct sink_syslog *syslog, struct error *err);

/* Tells of those that have ended; over: the counting is, and there will be no more of them. */
void process_output__drain(struct process_output *output, bool over);

/* After that, at the end: what is said of those that there was no room for. */
void process_output__finish(struct process_output *output, struct note_list *notes);

void process_output__close(struct process_output *output);

#endif
