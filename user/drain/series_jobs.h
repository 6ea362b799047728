/* SPDX-License-Identifier: GPL-2.0-only */
/* Which jobs there are series of. */
#ifndef USER_DRAIN_SERIES_JOBS_H
#define USER_DRAIN_SERIES_JOBS_H

#include <stddef.h>
#include <linux/types.h>

#include "tmtrace/series.h"

/* All 0: none. */
struct series_jobs {
	__u64 *at; /* in order; one may be there more than once */
	size_t n, room;
};

/* Those of the first n slots, in place of what was there. 0 or -ENOMEM. */
int series_jobs__find(struct series_jobs *jobs, const struct tm_series *series, __u32 n);
void series_jobs__free(struct series_jobs *jobs);

#endif
