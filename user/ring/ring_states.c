// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "ring/ring_block.h"
#include "ring/ring_states.h"

struct ring_states {
	void *tree; /* of struct ring_state, tsearch(3) */
	struct ring_state *oldest, *newest;
	__u64 bytes;
};

static int compare_states(const void *a, const void *b)
{
	const struct ring_state *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (int)x->type - (int)y->type;
}

static void free_state(void *item)
{
	struct ring_state *state = item;

	free(state->data);
	free(state);
}

struct ring_states *ring_states__new(void)
{
	return calloc(1, sizeof(struct ring_states));
}

void ring_states__free(struct ring_states *states)
{
	if (!states)
		return;
	tdestroy(states->tree, free_state);
	free(states);
}

struct ring_state *ring_states__find(struct ring_states *states, __u16 type, __u64 key)
{
	const struct ring_state wanted = { .type = type, .key = key };
	struct ring_state **node = tfind(&wanted, &states->tree, compare_states);

	return node ? *node : NULL;
}

struct ring_state *ring_states__get(struct ring_states *states, __u16 type, __u64 key)
{
	struct ring_state *state = ring_states__find(states, type, key);

	if (state)
		return state;
	state = malloc(sizeof(*state));
	if (!state)
		return NULL;
	*state = (struct ring_state){ .type = type, .key = key };
	if (!tsearch(state, &states->tree, compare_states)) {
		free(state);
		return NULL;
	}
	return state;
}

int ring_states__reserve(struct ring_state *state, size_t size)
{
	unsigned char *data;

	if (state->data && size <= state->room)
		return 0;
	data = realloc(state->data, size + 1); /* of none, too: it is wanted */
	if (!data)
		return -ENOMEM;
	state->data = data;
	state->room = size;
	return 0;
}

static void unlink_state(struct ring_states *states, struct ring_state *state)
{
	*(state->older ? &state->older->newer : &states->oldest) = state->newer;
	*(state->newer ? &state->newer->older : &states->newest) = state->older;
	states->bytes -= ring_block__entry_size(state->size);
}

static void append(struct ring_states *states, struct ring_state *state, __u64 offset)
{
	state->older = states->newest;
	state->newer = NULL;
	*(states->newest ? &states->newest->newer : &states->oldest) = state;
	states->newest = state;
	state->offset = offset;
	state->listed = true;
	states->bytes += ring_block__entry_size(state->size);
}

void ring_states__set(struct ring_states *states, struct ring_state *state, const void *data,
		      size_t size, __u64 offset)
{
	if (state->listed)
		unlink_state(states, state);
	if (size)
		memcpy(state->data, data, size);
	state->size = size;
	state->forgotten = false;
	append(states, state, offset);
}

void ring_states__move(struct ring_states *states, struct ring_state *state, __u64 offset)
{
	unlink_state(states, state);
	append(states, state, offset);
}

void ring_states__forget(struct ring_states *states, struct ring_state *state, __u64 offset)
{
	unlink_state(states, state);
	free(state->data);
	state->data = NULL;
	state->size = state->room = 0;
	state->forgotten = true;
	state->forgotten_at = offset;
	append(states, state, offset);
}

void ring_states__drop(struct ring_states *states, struct ring_state *state)
{
	unlink_state(states, state);
	state->listed = state->forgotten = false;
	if (state->data)
		return;
	tdelete(state, &states->tree, compare_states);
	free(state);
}

void ring_states__remove(struct ring_states *states, struct ring_state *state)
{
	unlink_state(states, state);
	tdelete(state, &states->tree, compare_states);
	free_state(state);
}

struct ring_state *ring_states__oldest(const struct ring_states *states)
{
	return states->oldest;
}

__u64 ring_states__bytes(const struct ring_states *states)
{
	return states->bytes;
}
