/* SPDX-License-Identifier: GPL-2.0-only */
/* The sums of what a list of a page has no room for. */
#ifndef USER_PAGE_REST_H
#define USER_PAGE_REST_H

#include <json-c/json.h>

#include "report/figures.h"

struct page_rest {
	size_t n; /* how many they are */
	struct figures sum;
};

void page_rest__add_series(struct page_rest *rest, const struct snapshot_series *series);
/* Figures of what else is counted, by what of them is known. */
void page_rest__add(struct page_rest *rest, const struct figures *figures);

/* To be given back with json_object_put(). Of no rest, NULL: null. Without memory, too. */
struct json_object *page_rest__object(const struct page_rest *rest);

#endif
