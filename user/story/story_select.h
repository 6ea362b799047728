/* SPDX-License-Identifier: GPL-2.0-only */
/* Which operations a story is told of. */
#ifndef USER_STORY_STORY_SELECT_H
#define USER_STORY_STORY_SELECT_H

#include "base/error.h"
#include "story/story_input.h"

struct story_selection {
	size_t slowest; /* of those that the rest lets through, so many; steps are of no one */
	bool one;	/* that of a process with this number: */
	char host[256];
	__u32 pid;
	__u64 seqno;
	bool of_object; /* those on it */
	__u64 object[2];
};

/* HOST:PID:SEQ; SEQ in decimal, or hex with 0x. -EINVAL with the way out. */
int story_selection__set_operation(struct story_selection *selection, const char *text,
				   struct error *err);
/* HI:LO, both in hex, with or without 0x. */
int story_selection__set_object(struct story_selection *selection, const char *text,
				struct error *err);

/*
 * The operations, the slowest first, and their number; *out is the caller's to free. -ENOMEM.
 */
int story_selection__find(const struct story_selection *selection, const struct story_input *input,
			  const struct story_operation ***out, size_t *n);

/* From the launch until the program knew that it was complete. */
__u64 story_operation__ns(const struct story_operation *operation);

#endif
