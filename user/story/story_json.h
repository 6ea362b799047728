/* SPDX-License-Identifier: GPL-2.0-only */
/* Stories as records: what story_print.h shows as text. */
#ifndef USER_STORY_STORY_JSON_H
#define USER_STORY_STORY_JSON_H

#include "sink/record.h"
#include "story/story_join.h"

/* The `story` record of one operation; run: that it was recorded in. */
void story_json__add(struct record *record, const struct report_run *run,
		     const struct story *story);

/*
 * The tree of a call (story_call.h), of the run that it was recorded in: its id, root, nodes and
 * what was cut, as in a `story` record.
 */
void story_json__add_call(struct record *record, const struct report_run *run,
			  const struct story *story, const struct story_call *call);

/*
 * The `clock` record of a host: how far its clock is from that of the first one; run: one of that
 * first host.
 */
void story_json__add_clock(struct record *record, const struct report_run *run,
			   const struct story_input *input, const struct story_clock *clock,
			   __u32 host);

#endif
