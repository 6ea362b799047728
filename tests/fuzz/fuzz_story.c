// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whatever recordings say of calls, operations and ADDB2 records, their stories end, and the layers
 * add up. The input is a row of these, with few different numbers, so that they are joined.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "story/story_call.h"
#include "story/story_layers.h"
#include "story/story_print.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

#define BASE 1000000000ULL

/* One of the input's items. */
struct item {
	unsigned char what, id, who, time, length, words[9];
};

static const __u32 ids[] = {
	STORY_ID_FOM_DESCR,  STORY_ID_FOM_TO_STIO,   STORY_ID_STIO_STATE, STORY_ID_ASSIGN,
	STORY_ID_FETCH,	     STORY_ID_CAS_STATE,     STORY_ID_CAS_TO_RPC, STORY_ID_CLIENT_TO_DIX,
	STORY_ID_COB_STATE,  STORY_ID_CLIENT_TO_COB, STORY_ID_COB_TO_RPC, STORY_ID_CLIENT_TO_IOO,
	STORY_ID_IOO_TO_RPC, STORY_ID_IOO_STATE,     STORY_ID_DIX_STATE,  STORY_ID_DIX_TO_MDIX,
	STORY_ID_DIX_TO_CAS, STORY_ID_FOM_TO_BULK,   STORY_ID_FOM_TO_TX,  STORY_ID_BULK_STATE,
	STORY_ID_TX_STATE,   STORY_ID_BULK_TO_RPC,
};

static int add_record(struct story_input *input, const struct item *item)
{
	struct story_record record = {
		.time_ns = BASE + item->time,
		.host = story_input__host(input, item->who % 3),
		.pid = item->who / 3 % 3,
		.tid = item->who / 9 % 3,
		.id = ids[item->id % (sizeof(ids) / sizeof(*ids))],
	};
	__u64 words[9];

	for (size_t i = 0; i < 9; i++)
		words[i] = item->words[i];
	return story_input__add_record(input, record, words, item->words[8] % 10);
}

static int add_call(struct story_input *input, const struct item *item)
{
	const struct story_call call = {
		.start_ns = BASE + item->time,
		.end_ns = BASE + item->time + item->length,
		.id = item->words[0],
		.parent = item->words[1],
		.run = item->who % 3,
		.pid = item->who / 3 % 3,
		.tid = item->who / 9 % 3,
		.kind = item->id % 3,
		.device = story_input__name(input, "d"),
		.queue_ns = item->words[2],
		.bytes = item->words[3],
		.layer = story_input__name(input, item->id % 2 ? "vfs" : "mio"),
		.function = story_input__name(input, "f"),
	};

	return story_input__add_call(input, &call);
}

static int add_operation(struct story_input *input, const struct item *item)
{
	const struct story_operation operation = {
		.run = item->who % 3,
		.pid = item->who / 3 % 3,
		.tid = item->who / 9 % 3,
		.id = item->words[0],
		.parent = item->words[1],
		.call = item->words[2],
		.launch_ns = BASE + item->time,
		/* Damaged ones may end before they begin. */
		.complete_ns = BASE + item->time + item->length - 16,
		.submit_ns = item->words[3],
		.late_ns = item->words[4],
		.sm_id = item->words[5],
		.seqno = item->words[6],
		.complete = item->id % 2,
		.has_sm_id = item->id / 2 % 2,
		.has_seqno = item->id / 4 % 2,
		.layer = story_input__name(input, "mio"),
		.kind = story_input__name(input, "k"),
	};

	return story_input__add_operation(input, &operation);
}

static int add(struct story_input *input, const struct item *item)
{
	switch (item->what % 4) {
	case 0:
		return add_call(input, item);
	case 1:
		return add_operation(input, item);
	default:
		return add_record(input, item);
	}
}

static void tell(FILE *out, const struct story_input *input, const struct story_clock *clock,
		 const struct story_operation *operation)
{
	struct story_times times;
	struct story story;
	__u64 sum = 0;

	if (story__join(&story, input, clock, operation))
		return;
	if (story.n > STORY_NODES_MAX || story_layers__of(&times, &story))
		abort();
	for (int layer = 0; layer < STORY_LAYERS; layer++)
		sum += times.ns[layer];
	if (sum != times.total_ns || story_print__tree(out, operation->pid * 50, &story))
		abort();
	story__free(&story);
}

/* What a call was made of is a tree, and no larger than asked for. */
static void follow(const struct story_input *input, __u64 id)
{
	const struct story_call *call = story_input__call(input, id % 3, id);
	struct story story;

	if (!call || story_call__join(&story, input, call, 10))
		return;
	if (story.n > STORY_DEPTH_MAX + 10 || story.root >= story.n)
		abort();
	for (size_t i = 0; i < story.n; i++)
		if (story.nodes[i].parent >= (int)i ||
		    story.nodes[i].end_ns < story.nodes[i].start_ns)
			abort();
	story__free(&story);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct story_input *input = story_input__new();
	struct story_clock *clock = NULL;
	FILE *out = fopen("/dev/null", "we");
	struct item item;

	if (!input || !out || story_input__run(input, "a", true) ||
	    story_input__run(input, "b", false) != 1 || story_input__run(input, "a", true) != 2)
		abort();
	for (size_t at = 0; at + sizeof(item) <= size && at < 200 * sizeof(item);
	     at += sizeof(item)) {
		memcpy(&item, data + at, sizeof(item));
		if (add(input, &item))
			abort();
	}
	if (!story_input__finish(input))
		clock = story_clock__new(input);
	if (!clock)
		abort();
	story_print__clocks(out, input, clock);
	for (size_t i = 0; i < story_input__n_operations(input) && i < 8; i++)
		tell(out, input, clock, story_input__operation(input, i));
	for (__u64 id = 0; id < 256; id++)
		follow(input, id);
	story_clock__free(clock);
	story_input__free(input);
	fclose(out);
	return 0;
}
