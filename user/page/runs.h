/* SPDX-License-Identifier: GPL-2.0-only */
/* The runs that a page is of, their nodes side by side, what is unusual. */
#ifndef USER_PAGE_RUNS_H
#define USER_PAGE_RUNS_H

#include "page/jobs.h"
#include "report/combined.h"

/* 0 or -ENOMEM. whole: one of the parts, or what they have in common. */
int page_runs__write(struct page_document *document, const struct page_jobs *jobs,
		     const struct report_part *whole, const struct report_part *parts, size_t n);

#endif
