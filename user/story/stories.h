/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recordings that stories are told of. They are read twice: first operations and ADDB2 records,
 * then, once it is known of which times stories are told, the calls of these times.
 *
 *	stories__open(&stories, files, n, &err)
 *	stories__tell_of() for each operation, or stories__add_window()
 *	stories__read_calls(&stories, &err)
 *	story__join(), with stories.input and stories.clock
 *	stories__close(&stories)
 */
#ifndef USER_STORY_STORIES_H
#define USER_STORY_STORIES_H

#include "story/story_clock.h"
#include "story/story_input.h"
#include "story/story_reader.h"

struct stories {
	struct recording **recordings; /* as the files that were named; runs have their numbers */
	size_t n;
	struct story_input *input;
	struct story_clock *clock;
	struct story_window *windows; /* whose calls are wanted */
	size_t n_windows, room;
};

/* 0, or why they cannot be read. End it with stories__close() in any case. */
int stories__open(struct stories *stories, const char *const *files, size_t n, struct error *err);
void stories__close(struct stories *stories);

/* When an operation was, on each host. 0 or -ENOMEM. */
int stories__tell_of(struct stories *stories, const struct story_operation *operation);
/* A time of a run, on its host's clock. The same. */
int stories__add_window(struct stories *stories, __u32 run, __u64 start_ns, __u64 end_ns);

/* 0, or why they cannot be read. */
int stories__read_calls(struct stories *stories, struct error *err);

#endif
