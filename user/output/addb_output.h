/* SPDX-License-Identifier: GPL-2.0-only */
/* Takes the ADDB2 records of --addb from the kernel side to the sinks. */
#ifndef USER_OUTPUT_ADDB_OUTPUT_H
#define USER_OUTPUT_ADDB_OUTPUT_H

#include "addb/reader.h"
#include "base/note_list.h"
#include "job/job_map.h"
#include "kernel/kernel.h"
#include "options/options.h"
#include "output/sinks.h"
#include "report/report.h"

struct addb_output;

/*
 * For --addb; without it *out stays NULL, which the functions below take. The kernel side is
 * loaded; sinks must outlive the output. 0, or a negative errno; then it is to be closed, too.
 */
int addb_output__start(struct addb_output **out, const struct kernel *kernel, struct sinks *sinks,
		       struct error *err);

/* -1: there is nothing to wait for. */
int addb_output__fd(const struct addb_output *output);

/* Takes and writes what there is; over: all of it. 0, or a negative errno. */
int addb_output__drain(struct addb_output *output, bool over, struct error *err);

/* The recording is about to get figures: with them, what became of the records so far. */
void addb_output__record(struct addb_output *output);

/* At the end: the record of what became of all records; what was lost is noted. */
void addb_output__finish(struct addb_output *output, struct note_list *notes);

void addb_output__close(struct addb_output *output);

#endif
