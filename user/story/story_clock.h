/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How far the clocks of hosts are apart, from requests and replies between them. A message arrives
 * after it was sent: each pair says how far ahead the server's clock can be at least and at most,
 * and all pairs together say it best. Where they contradict each other (the clocks drift), the
 * fastest pair counts alone, with half of its time under way as the error (RFC 5905, 8.).
 */
#ifndef USER_STORY_STORY_CLOCK_H
#define USER_STORY_STORY_CLOCK_H

#include "story/story_input.h"

/* A request of one process to another one, and the reply; NULL: was not seen. */
struct story_rpc {
	const struct story_record *sent, *received;	/* the request */
	const struct story_record *answered, *returned; /* the reply */
};

/* What followed when this record (STORY_ID_ASSIGN) sent a request. */
struct story_rpc story_rpc__find(const struct story_input *input, const struct story_record *sent);

struct story_clock;

/* input is finished, and must outlive it. NULL: no memory. */
struct story_clock *story_clock__new(const struct story_input *input);
void story_clock__free(struct story_clock *clock); /* NULL is fine */

struct story_offset {
	__s64 ahead_ns; /* of the other host's clock */
	__u64 error_ns; /* at most, either way */
	size_t n;   /* requests that say so; of the weakest link where other hosts are between */
	bool known; /* else there were no requests, and the clocks are taken to agree */
	bool drifts;
};

/* How far the clock of host is ahead of that of reference. */
struct story_offset story_clock__offset(const struct story_clock *clock, __u32 host,
					__u32 reference);

#endif
