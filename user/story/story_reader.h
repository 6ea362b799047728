/* SPDX-License-Identifier: GPL-2.0-only */
/* Takes over from recordings what stories are made of. */
#ifndef USER_STORY_STORY_READER_H
#define USER_STORY_STORY_READER_H

#include "recording/recording_reader.h"
#include "story/story_input.h"

/* A stretch of time on a host's clock. */
struct story_window {
	__u32 host;
	__u64 start_ns, end_ns;
};

/* Operations and ADDB2 records of a recording, as that run. 0 or -ENOMEM. */
int story_reader__operations(struct story_input *input, __u32 run, struct recording *recording,
			     struct error *err);

/* Its calls that overlap one of n windows. 0 or -ENOMEM. */
int story_reader__calls(struct story_input *input, __u32 run, struct recording *recording,
			const struct story_window *windows, size_t n, struct error *err);

#endif
