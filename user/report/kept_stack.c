// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/kept_stack.h"

struct kept_stack {
	__u32 at;		       /* where it begins among the links, or CALL_NO_STACK */
	__u32 links[1 + TM_STACK_MAX]; /* how many frames, and their numbers */
	struct call_frame frames[TM_STACK_MAX];
	size_t names_bytes;
	char names[];
};

static size_t room_for(const char *text)
{
	return text ? strlen(text) + 1 : 0;
}

static size_t names_of(const struct call_batch *batch, const struct call_stack *stack)
{
	size_t bytes = 0;

	for (size_t i = 0; i < stack->n; i++) {
		const struct stack_frame frame = call_batch__frame(batch, stack, i);

		bytes += room_for(frame.function) + room_for(frame.library);
	}
	return bytes;
}

/* Its offset; 0, the object, is never one of these. */
static __u32 add_name(struct kept_stack *kept, const char *text)
{
	size_t at = kept->names_bytes;

	if (!text)
		return CALL_NO_STACK; /* beyond all names: not known */
	memcpy(kept->names + at, text, room_for(text));
	kept->names_bytes += room_for(text);
	return (__u32)at;
}

struct kept_stack *kept_stack__new(const struct call_batch *batch, const struct tm_call *call,
				   const char *object)
{
	struct call_stack stack = { 0 };
	struct kept_stack *kept;
	size_t names;
	bool known;

	if (!batch->stack_of)
		return NULL;
	known = call_batch__stack(batch, call, &stack);
	if (!known)
		stack.n = 0;
	names = room_for(object) + names_of(batch, &stack);
	kept = calloc(1, sizeof(*kept) + names);
	if (!kept)
		return NULL;
	add_name(kept, object);
	kept->at = known ? 0 : CALL_NO_STACK;
	kept->links[0] = (__u32)stack.n;
	for (size_t i = 0; i < stack.n; i++) {
		const struct stack_frame frame = call_batch__frame(batch, &stack, i);

		kept->links[i + 1] = (__u32)i;
		kept->frames[i] = (struct call_frame){
			.place = frame.place,
			.function = add_name(kept, frame.function),
			.library = add_name(kept, frame.library),
		};
	}
	return kept;
}

void kept_stack__use(const struct kept_stack *stack, struct call_batch *batch)
{
	batch->first = batch->calls;
	batch->names = stack->names;
	batch->names_bytes = stack->names_bytes;
	batch->stack_of = &stack->at;
	batch->links = stack->links;
	batch->n_links = stack->links[0] + 1;
	batch->frames = stack->frames;
	batch->n_frames = stack->links[0];
}

static int print_frame(struct grid *grid, const struct stack_frame *frame)
{
	char place[24], *line;
	int ret;

	snprintf(place, sizeof(place), "0x%llx", frame->place);
	if (asprintf(&line, "    %s%s%s%s", frame->function ? frame->function : place,
		     frame->library ? " (" : "", frame->library ? frame->library : "",
		     frame->library ? ")" : "") < 0)
		return -ENOMEM;
	ret = grid__below(grid, line);
	free(line);
	return ret;
}

int kept_stack__print(const struct kept_stack *stack, struct grid *grid)
{
	const struct tm_call call = { 0 };
	struct call_batch batch = { .calls = &call, .n_calls = 1 };
	struct call_stack frames;
	int ret = 0;

	if (!stack)
		return 0;
	kept_stack__use(stack, &batch);
	if (!call_batch__stack(&batch, &call, &frames))
		return 0;
	for (size_t i = 0; i < frames.n && !ret; i++) {
		const struct stack_frame frame = call_batch__frame(&batch, &frames, i);

		ret = print_frame(grid, &frame);
	}
	return ret;
}
