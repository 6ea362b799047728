/* SPDX-License-Identifier: GPL-2.0-only */
/* A record as a page has it. */
#ifndef USER_PAGE_TRIM_H
#define USER_PAGE_TRIM_H

#include <linux/types.h>
#include <json-c/json.h>

/* What is said once of a page. */
struct page_common {
	__u64 origin_ns;      /* times since 1970 are told from here on */
	const char *hostname; /* NULL: records are of several hosts */
};

/*
 * Takes away what all records have in common: schema, epoch, the time of the last reading, the
 * host. Times since 1970 become times since the origin, and ids strings: the page's script has no
 * integers above 2^53.
 */
void page_trim__record(struct json_object *record, const struct page_common *common);

#endif
