/* SPDX-License-Identifier: GPL-2.0-only */
/* How the probes of a run fared, as a page has it. */
#ifndef USER_PAGE_PROBES_H
#define USER_PAGE_PROBES_H

#include "page/document.h"
#include "report/report.h"

/*
 * The member "probes", sums by layer, and the list "losses" of loss records, the most first. 0 or
 * -ENOMEM.
 */
int page_probes__write(struct page_document *document, const struct report_run *run,
		       const struct snapshot *snapshot);

#endif
