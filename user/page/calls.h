/* SPDX-License-Identifier: GPL-2.0-only */
/* The slowest calls and operations that were recorded one by one, as a page has them. */
#ifndef USER_PAGE_CALLS_H
#define USER_PAGE_CALLS_H

#include "page/document.h"
#include "report/slowest.h"

struct page_calls {
	const struct slowest *slowest;
	struct json_object *stories, *chains; /* arrays of records; NULL: none */
};

/* The lists "calls", "operations", "stories" and "chains", the slowest first. 0 or -ENOMEM. */
int page_calls__write(struct page_document *document, const struct page_calls *calls);

#endif
