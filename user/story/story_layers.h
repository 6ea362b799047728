/* SPDX-License-Identifier: GPL-2.0-only */
/* Where an operation's time went. */
#ifndef USER_STORY_STORY_LAYERS_H
#define USER_STORY_STORY_LAYERS_H

#include "story/story_join.h"

/* From the program down. Time in which several layers are at work is that of the lowest. */
enum story_layer {
	STORY_MIDDLEWARE, /* its own code, and what it waits for that is not seen */
	STORY_LATE_POLL,  /* all that it waits for was complete, and nobody looked */
	STORY_CLIENT,	  /* the object store's, without its requests */
	STORY_NETWORK, /* requests on their way; what servers do with them where it is not seen */
	STORY_SERVER,  /* without its storage I/O */
	STORY_DISK,    /* storage I/O */
	STORY_LAYERS,
};

/* "middleware", "late poll", ... */
extern const char *const story_layer_names[STORY_LAYERS];

struct story_times {
	__u64 ns[STORY_LAYERS];
	__u64 total_ns; /* their sum: from the launch until the program knew */
};

/* 0, or -ENOMEM. */
int story_layers__of(struct story_times *times, const struct story *story);

/* In which most of the time went. */
enum story_layer story_layers__most(const struct story_times *times);

#endif
