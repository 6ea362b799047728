/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of series: a function, a device, operations, .. */
#ifndef USER_SINK_SERIES_TEXT_H
#define USER_SINK_SERIES_TEXT_H

#include "report/gaps.h"
#include "sink/record.h"

/* Adds series i of a snapshot; gaps: of that time. */
void series_text__add(struct record *record, const struct report_run *run,
		      const struct snapshot *snapshot, size_t i, bool final,
		      const struct gaps *gaps);

/* Adds what a series is about to a record: job, layer, function and where. */
void series_text__add_key(struct record *record, const struct report_run *run,
			  const struct tm_series *total);
/*
 * Adds which process it is of, and its job; NULL: that is not known, or of several. rank: negative
 * for none.
 */
void series_text__add_who(struct record *record, const struct process_info *process, __s64 rank,
			  const char *jobid);

#endif
