/* SPDX-License-Identifier: GPL-2.0-only */
/* The record of a run: what was traced, how, and at which cost. */
#ifndef USER_SINK_RUN_TEXT_H
#define USER_SINK_RUN_TEXT_H

#include "sink/record.h"

/*
 * Adds it; end_ns is 0 at the start; then notes are the run's own.
 */
void run_text__add(struct record *record, const struct report_run *run, __u64 end_ns,
		   const char *const *notes, size_t n_notes);

#endif
