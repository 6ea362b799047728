/* SPDX-License-Identifier: GPL-2.0-only */
/* The record of a run, as text: what was traced, how, and at which cost. */
#ifndef USER_SINK_RUN_TEXT_H
#define USER_SINK_RUN_TEXT_H

#include "sink/record_text.h"

/*
 * Adds it; end_ns is 0 at the start; then notes are the run's own. 0; -ENOMEM: nothing is added.
 */
int run_text__add(struct json_text *text, const struct report_run *run, __u64 end_ns,
		  const char *const *notes, size_t n_notes);

#endif
