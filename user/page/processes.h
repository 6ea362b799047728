/* SPDX-License-Identifier: GPL-2.0-only */
/* What processes and ranks did, as a page has it. */
#ifndef USER_PAGE_PROCESSES_H
#define USER_PAGE_PROCESSES_H

#include "page/jobs.h"
#include "report/combined.h"

/*
 * The lists "processes" and "ranks", the busiest first, where processes are told apart; and
 * "accounts", where their accounts tell of ranks. whole: not folded. 0 or -ENOMEM.
 */
int page_processes__write(struct page_document *document, const struct page_jobs *jobs,
			  const struct report_part *whole, const struct report_part *parts,
			  size_t n);

#endif
