/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A single call with the calls around it and all that its thread did in it, down to operations on
 * files and the block requests that were started in these: as the tree of a story.
 */
#ifndef USER_STORY_STORY_CALL_H
#define USER_STORY_STORY_CALL_H

#include "story/story_join.h"

/*
 * The tree of a call of the input; its operation is NULL. Of what is below the call, the longest
 * `most` are there, the others are counted in story->cut. 0, or -ENOMEM; give it back with
 * story__free() where it is 0.
 */
int story_call__join(struct story *story, const struct story_input *input,
		     const struct story_call *call, size_t most);

#endif
