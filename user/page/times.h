/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When it was: the timeline of each layer, of all jobs together and of each job, with how many
 * calls took how long in each bin.
 */
#ifndef USER_PAGE_TIMES_H
#define USER_PAGE_TIMES_H

#include "page/jobs.h"

/*
 * The list "timelines". A row has the members of a timeline record, whose job is null for all jobs
 * (where only one has the layer, that one is all), and "heat": for each bin null or [first, count,
 * count, ...] of half octaves. Number 0 is up to 8 ns; from there on each power of two has two,
 * with the upper edges 12, 16, 24, 32, ... 0 or -ENOMEM.
 */
int page_times__write(struct page_document *document, const struct report_run *run,
		      const struct snapshot *snapshot, const struct page_jobs *jobs);

#endif
