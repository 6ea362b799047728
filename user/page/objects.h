/* SPDX-License-Identifier: GPL-2.0-only */
/* Single files and objects, how they were accessed, and how large accesses were. */
#ifndef USER_PAGE_OBJECTS_H
#define USER_PAGE_OBJECTS_H

#include "page/jobs.h"

/*
 * The lists "vfs_objects" and "library_objects", of all processes together, what took most time
 * first; "accesses", of each
 * job and direction, as far as files are told apart; and "distributions", the histograms of reads
 * and writes of files and devices, of all jobs (job null) and of each. snapshot: folded. 0 or
 * -ENOMEM.
 */
int page_objects__write(struct page_document *document, const struct report_run *run,
			const struct snapshot *snapshot, const struct page_jobs *jobs);

#endif
