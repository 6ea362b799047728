/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of series, as text: a function, a device, operations, ... */
#ifndef USER_SINK_SERIES_TEXT_H
#define USER_SINK_SERIES_TEXT_H

#include "report/gaps.h"
#include "sink/record_text.h"

/* Adds series i of a snapshot; gaps: of that time. 0; -ENOMEM: nothing is added. */
int series_text__add(struct json_text *text, const struct report_run *run,
		     const struct snapshot *snapshot, size_t i, bool final,
		     const struct gaps *gaps);

/* Adds what a series is about to a record: job, layer, function and where. */
void series_text__add_key(struct record_text *record, const struct report_run *run,
			  const struct tm_series *total);
/* Adds which process it is of, and its job; NULL: that is not known, or of several. */
void series_text__add_who(struct record_text *record, const struct process_info *process,
			  const char *jobid);

#endif
