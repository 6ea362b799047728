/* SPDX-License-Identifier: GPL-2.0-only */
/* Stories as records: what story_print.h shows as text. */
#ifndef USER_STORY_STORY_JSON_H
#define USER_STORY_STORY_JSON_H

#include <json-c/json.h>

#include "report/report.h"
#include "story/story_join.h"

/* The `story` record of one operation; run: that it was recorded in. NULL: no memory. */
struct json_object *story_json__record(const struct report_run *run, const struct story *story);

/*
 * The tree of a call (story_call.h), of the run that it was recorded in: its id, root, nodes and
 * what was cut, as in a `story` record. NULL: no memory.
 */
struct json_object *story_json__call(const struct report_run *run, const struct story *story,
				     const struct story_call *call);

/*
 * The `clock` record of a host: how far its clock is from that of the first one; run: one of that
 * first host. NULL: no memory.
 */
struct json_object *story_json__clock(const struct report_run *run, const struct story_input *input,
				      const struct story_clock *clock, __u32 host);

#endif
