/* SPDX-License-Identifier: GPL-2.0-only */
/* The record of a file or object. */
#ifndef USER_SINK_JSON_OBJECT_H
#define USER_SINK_JSON_OBJECT_H

#include "report/report.h"
#include "sink/record.h"

/* Object i of a snapshot. */
void json_object__add(struct record *record, const struct report_run *run,
		      const struct snapshot *snapshot, size_t i);

#endif
