/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The jobs, or cgroups, of a page, the busiest first: records have their number instead of their
 * names. What is of a job that the page has no room for counts with the rest.
 */
#ifndef USER_PAGE_JOBS_H
#define USER_PAGE_JOBS_H

#include "page/document.h"
#include "report/report.h"

struct page_jobs;

/*
 * Puts them into the document. snapshot: not folded, and outlives this. 0 and *out, or -ENOMEM; end
 * it with page_jobs__free().
 */
int page_jobs__write(struct page_jobs **out, struct page_document *document,
		     const struct report_run *run, const struct snapshot *snapshot);
void page_jobs__free(struct page_jobs *jobs); /* NULL is fine */

/* The job's number, from 0; -1: it is not among them. */
int page_jobs__number(const struct page_jobs *jobs, __u64 id);

/* How many have a number, and the job that has it. */
int page_jobs__n(const struct page_jobs *jobs);
__u64 page_jobs__id(const struct page_jobs *jobs, int number);

/* Takes a job's names away: the record says its number. NULL is fine. */
void page_jobs__drop_names(struct json_object *record);
/* In the record of a series, or the like, its job's number in place of the job's names. */
void page_jobs__mark(struct json_object *record, int number);

#endif
