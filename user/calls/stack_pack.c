// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "calls/call_batch.h"
#include "calls/stack_pack.h"

/* What was added last, by the low bits of a number; what is pushed out comes twice. */
#define CACHE 1024

struct cached_stack {
	__u64 id; /* 0: none */
	__u32 at;
};

struct stack_pack {
	struct call_frame *frames;
	__u32 *links, *stack_of;
	size_t n_frames, n_links, n_calls;
	struct cached_stack stacks[CACHE];
	__u32 seen[CACHE]; /* frames: number + 1; 0: none */
};

struct stack_pack *stack_pack__new(size_t bytes)
{
	struct stack_pack *stacks = calloc(1, sizeof(*stacks));

	if (!stacks)
		return NULL;
	stacks->frames = malloc(bytes);
	stacks->links = malloc(bytes);
	stacks->stack_of = malloc(bytes);
	if (!stacks->frames || !stacks->links || !stacks->stack_of) {
		stack_pack__free(stacks);
		return NULL;
	}
	return stacks;
}

void stack_pack__free(struct stack_pack *stacks)
{
	if (!stacks)
		return;
	free(stacks->frames);
	free(stacks->links);
	free(stacks->stack_of);
	free(stacks);
}

void stack_pack__begin(struct stack_pack *stacks)
{
	stacks->n_frames = stacks->n_links = stacks->n_calls = 0;
	memset(stacks->stacks, 0, sizeof(stacks->stacks));
	memset(stacks->seen, 0, sizeof(stacks->seen));
}

static bool is_known(const struct stack_pack *stacks, const struct stack *stack)
{
	return stacks->stacks[stack->id % CACHE].id == stack->id;
}

size_t stack_pack__cost(const struct stack_pack *stacks, const struct stack *stack)
{
	size_t cost = 2 * sizeof(*stacks->stack_of); /* with what makes a multiple of 8 */

	if (!stack || is_known(stacks, stack))
		return cost;
	cost += (stack->n + 1) * sizeof(*stacks->links) + stack->n * sizeof(*stacks->frames);
	for (size_t i = 0; i < stack->n; i++) {
		const struct stack_frame *frame = &stack->frames[i];

		cost += frame->function ? strlen(frame->function) + 1 : 0;
		cost += frame->library ? strlen(frame->library) + 1 : 0;
	}
	return cost;
}

/* Its number. */
static __u32 add_frame(struct stack_pack *stacks, const struct stack_frame *frame,
		       struct name_pack *names)
{
	__u32 *seen = &stacks->seen[(frame->place ^ frame->place >> 10) % CACHE];
	const struct call_frame added = {
		.place = frame->place,
		.function = name_pack__share(names, frame->function),
		.library = name_pack__share(names, frame->library),
	};

	if (!*seen || memcmp(&stacks->frames[*seen - 1], &added, sizeof(added)) != 0) {
		stacks->frames[stacks->n_frames++] = added;
		*seen = (__u32)stacks->n_frames;
	}
	return *seen - 1;
}

/* Where it begins among the links. */
static __u32 place_of(struct stack_pack *stacks, const struct stack *stack, struct name_pack *names)
{
	struct cached_stack *cached = &stacks->stacks[stack->id % CACHE];

	if (!is_known(stacks, stack)) {
		*cached = (struct cached_stack){ stack->id, (__u32)stacks->n_links };
		stacks->links[stacks->n_links++] = (__u32)stack->n;
		for (size_t i = 0; i < stack->n; i++)
			stacks->links[stacks->n_links++] =
				add_frame(stacks, &stack->frames[i], names);
	}
	return cached->at;
}

void stack_pack__add(struct stack_pack *stacks, const struct stack *stack, struct name_pack *names)
{
	stacks->stack_of[stacks->n_calls++] =
		stack ? place_of(stacks, stack, names) : CALL_NO_STACK;
}

size_t stack_pack__n(const struct stack_pack *stacks)
{
	size_t words = stacks->n_links + stacks->n_calls;

	return sizeof(struct call_stacks_header) + stacks->n_frames * sizeof(*stacks->frames) +
	       (words + 1) / 2 * 8;
}

char *stack_pack__put(const struct stack_pack *stacks, char *to)
{
	const struct call_stacks_header header = { (__u32)stacks->n_frames,
						   (__u32)stacks->n_links };
	const size_t frames = stacks->n_frames * sizeof(*stacks->frames);
	const size_t links = stacks->n_links * sizeof(*stacks->links);
	const size_t calls = stacks->n_calls * sizeof(*stacks->stack_of);
	char *end = to + stack_pack__n(stacks);

	memset(end - 8, 0, 8);
	to = (char *)memcpy(to, &header, sizeof(header)) + sizeof(header);
	to = (char *)memcpy(to, stacks->frames, frames) + frames;
	to = (char *)memcpy(to, stacks->links, links) + links;
	memcpy(to, stacks->stack_of, calls);
	return end;
}
