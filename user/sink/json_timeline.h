/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_SINK_JSON_TIMELINE_H
#define USER_SINK_JSON_TIMELINE_H

#include "report/report.h"
#include "timeline/timeline.h"
#include "sink/record.h"

/* Of type "timeline", see docs/records.md. */
void json_timeline__add(struct record *record, const struct report_run *run,
			const struct timeline *timeline, __u64 time_ns);

/* The members that say of which job and layer it is. */
void json_timeline__add_key(struct record *record, const struct report_run *run,
			    const struct timeline *timeline);

#endif
