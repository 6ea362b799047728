/* SPDX-License-Identifier: GPL-2.0-only */
/* A write of MIO with all that is known of it, for tests of its story. */
#ifndef TESTS_UNIT_STORY_SAMPLE_H
#define TESTS_UNIT_STORY_SAMPLE_H

#include <stdlib.h>
#include <string.h>

#include "story/story_join.h"
#include "story/story_layers.h"

#define US		 1000ULL
#define STORY_BASE	 1700000000000000000ULL /* of the client's clock */
#define STORY_SESSION	 0x1234567890abcULL
#define STORY_CLIENT_PID 100
#define STORY_SERVER_PID 200

/* What the layers are, in us. */
static const __u64 story_truth_us[STORY_LAYERS] = {
	[STORY_MIDDLEWARE] = 40, [STORY_LATE_POLL] = 80, [STORY_CLIENT] = 50,
	[STORY_NETWORK] = 60,	 [STORY_SERVER] = 70,	 [STORY_DISK] = 100,
};

/* Parts that a test can leave out. */
enum story_part {
	STORY_PART_CALLS = 1,
	STORY_PART_CLIENT = 2, /* the client's records */
	STORY_PART_SENT = 4,
	STORY_PART_SERVER = 8, /* the server's */
	STORY_PART_REPLY = 16, /* that it came in */
	STORY_PART_ALL = 31,
};

struct story_sample {
	struct story_input *input;
	__u32 client, server; /* runs */
	__s64 ahead_ns;	      /* the server's clock */
};

static inline __u64 story_time(const struct story_sample *s, __u32 run, __u64 us)
{
	return STORY_BASE + us * US + (run == s->server ? (__u64)s->ahead_ns : 0);
}

static inline void story_record(const struct story_sample *s, __u32 run, __u64 us, __u32 id,
				const __u64 *words, unsigned int n)
{
	struct story_record record = {
		.time_ns = story_time(s, run, us),
		.host = story_input__host(s->input, run),
		.pid = run == s->server ? STORY_SERVER_PID : STORY_CLIENT_PID,
		.tid = run == s->server ? STORY_SERVER_PID + 1 : STORY_CLIENT_PID + 1,
		.id = id,
	};

	assert_int_equal(story_input__add_record(s->input, record, words, n), 0);
}

#define STORY_RECORD(s_, run_, us_, id_, ...)                      \
	story_record(s_, run_, us_, id_, (__u64[]){ __VA_ARGS__ }, \
		     sizeof((__u64[]){ __VA_ARGS__ }) / sizeof(__u64))

static inline void story_call(const struct story_sample *s, __u32 run, __s64 from_us, __s64 to_us,
			      __u64 id, __u64 parent, const char *layer, const char *function)
{
	struct story_call call = {
		.start_ns = story_time(s, run, (__u64)from_us),
		.end_ns = story_time(s, run, (__u64)to_us),
		.id = id,
		.parent = parent,
		.run = run,
		.pid = run == s->server ? STORY_SERVER_PID : STORY_CLIENT_PID,
		.tid = run == s->server ? STORY_SERVER_PID + 1 : STORY_CLIENT_PID,
		.kind = !strcmp(layer, "vfs")	  ? STORY_CALL_FILE
			: !strcmp(layer, "block") ? STORY_CALL_REQUEST
						  : STORY_CALL_LIBRARY,
		.device = story_input__name(s->input, "sda"),
		.queue_ns = 3 * US,
		.bytes = 4096,
		.layer = story_input__name(s->input, layer),
		.function = story_input__name(s->input, function),
	};

	assert_int_equal(story_input__add_call(s->input, &call), 0);
}

static inline void story_operations(const struct story_sample *s)
{
	struct story_operation write = {
		.run = s->client,
		.pid = STORY_CLIENT_PID,
		.tid = STORY_CLIENT_PID,
		.id = 3,
		.call = 2,
		.launch_ns = story_time(s, s->client, 0),
		.complete_ns = story_time(s, s->client, 300),
		.submit_ns = 30 * US,
		.late_ns = 100 * US,
		.seqno = 17,
		.bytes = 4096,
		.object = { 0x5, 0x6 },
		.complete = true,
		.has_seqno = true,
		.has_bytes = true,
		.has_object = true,
		.layer = story_input__name(s->input, "mio"),
		.kind = story_input__name(s->input, "WRITE"),
	};
	struct story_operation step = {
		.run = s->client,
		.pid = STORY_CLIENT_PID,
		.tid = STORY_CLIENT_PID,
		.id = 5,
		.parent = 3,
		.call = 4,
		.launch_ns = story_time(s, s->client, 20),
		.complete_ns = story_time(s, s->client, 300),
		.sm_id = 7,
		.complete = true,
		.has_sm_id = true,
		.layer = story_input__name(s->input, "m0"),
		.kind = story_input__name(s->input, "WRITE"),
	};

	assert_int_equal(story_input__add_operation(s->input, &write), 0);
	assert_int_equal(story_input__add_operation(s->input, &step), 0);
}

static inline void story_parts(const struct story_sample *s, unsigned int parts)
{
	__u32 c = s->client, v = s->server;

	story_operations(s);
	if (parts & STORY_PART_CALLS) {
		story_call(s, c, -20, 410, 1, 0, "mstro", "mstro_cdo_offer");
		story_call(s, c, 0, 30, 2, 1, "mio", "mio_obj_writev");
		story_call(s, c, 380, 401, 6, 1, "mio", "mio_op_poll");
		story_call(s, v, 120, 200, 1, 0, "vfs", "write");
		story_call(s, v, 130, 190, 3, 1, "block", "write");
		story_call(s, v, 131, 191, 4, 0, "block", "write"); /* in none */
		story_call(s, v, 260, 270, 2, 0, "vfs", "write");   /* after it */
	}
	if (parts & STORY_PART_CLIENT) {
		STORY_RECORD(s, c, 40, STORY_ID_CLIENT_TO_IOO, 7, 8);
		STORY_RECORD(s, c, 45, STORY_ID_IOO_TO_RPC, 8, 9);
	}
	if (parts & STORY_PART_SENT)
		STORY_RECORD(s, c, 50, STORY_ID_ASSIGN, 9, 42, 5, STORY_SESSION);
	if (parts & STORY_PART_SERVER) {
		STORY_RECORD(s, v, 80, STORY_ID_FETCH, 31, 42, 5, STORY_SESSION);
		STORY_RECORD(s, v, 90, STORY_ID_FOM_DESCR, 1, 2, 3, 42, 44, 0, 31, 32, 33);
		STORY_RECORD(s, v, 100, STORY_ID_FOM_TO_STIO, 32, 34);
		STORY_RECORD(s, v, 110, STORY_ID_STIO_STATE, 34, 0);
		STORY_RECORD(s, v, 115, STORY_ID_STIO_STATE, 34, 9);
		STORY_RECORD(s, v, 210, STORY_ID_STIO_STATE, 34, 10);
		STORY_RECORD(s, v, 250, STORY_ID_ASSIGN, 35, 44, 5, STORY_SESSION);
	}
	if (parts & STORY_PART_REPLY)
		STORY_RECORD(s, c, 280, STORY_ID_FETCH, 10, 44, 5, STORY_SESSION);
}

/* Of two recordings; server: the name of its host. */
static inline void story_sample__open(struct story_sample *s, const char *server, __s64 ahead_ns,
				      unsigned int parts)
{
	s->input = story_input__new();
	assert_non_null(s->input);
	s->client = (__u32)story_input__run(s->input, "node1", true);
	s->server = (__u32)story_input__run(s->input, server, true);
	s->ahead_ns = ahead_ns;
	story_parts(s, parts);
	assert_int_equal(story_input__finish(s->input), 0);
}

static inline void story_sample__close(struct story_sample *s)
{
	story_input__free(s->input);
}

#endif
