/* SPDX-License-Identifier: GPL-2.0-only */
/* Stories as text: what it was, where the time went, and the tree on one time axis. */
#ifndef USER_STORY_STORY_PRINT_H
#define USER_STORY_STORY_PRINT_H

#include <stdio.h>

#include "story/story_join.h"

/* width in characters, 0: not limited. 0, or -ENOMEM; errors of the stream are left to it. */
int story_print__tree(FILE *out, unsigned int width, const struct story *story);

/* How far the hosts' clocks are from that of the first one, where there are several. */
void story_print__clocks(FILE *out, const struct story_input *input,
			 const struct story_clock *clock);

#endif
