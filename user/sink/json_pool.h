/* SPDX-License-Identifier: GPL-2.0-only */
/* The "pool" record. */
#ifndef USER_SINK_JSON_POOL_H
#define USER_SINK_JSON_POOL_H

#include "report/report.h"
#include "sink/record.h"

/* Of a pool of the run. */
void json_pool__add(struct record *record, const struct report_run *run,
		    const struct pool_info *pool, __u64 time_ns);

#endif
