/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions, file operations, devices and what stands beside functions, as a page has them. */
#ifndef USER_PAGE_SERIES_H
#define USER_PAGE_SERIES_H

#include "page/jobs.h"

/*
 * A list of each kind, what took most time first: functions, files, devices, ops, by_size,
 * associations, addb_states, addb_values. snapshot: folded. 0 or -ENOMEM.
 */
int page_series__write(struct page_document *document, const struct report_run *run,
		       const struct snapshot *snapshot, const struct page_jobs *jobs);

#endif
