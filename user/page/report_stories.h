/* SPDX-License-Identifier: GPL-2.0-only */
/* What the slowest calls and operations of a report were made of. */
#ifndef USER_PAGE_REPORT_STORIES_H
#define USER_PAGE_REPORT_STORIES_H

#include <json-c/json.h>

#include "inputs/report_parts.h"

/* Each an array of records, to be given back with json_object_put(). */
struct report_stories {
	struct json_object *stories; /* `story` records, of operations that are no steps */
	struct json_object *chains;  /* of calls that are in no other one of the slowest */
};

/*
 * Reads the recordings of the parts once more for them: the slowest so many of each of those that
 * were kept. Where none were kept, nothing is read. 0, or why it cannot be done.
 */
int report_stories__make(struct report_stories *out, const struct report_parts *parts,
			 const struct slowest *slowest, size_t most, struct error *err);
void report_stories__free(struct report_stories *stories); /* all 0 is fine */

#endif
