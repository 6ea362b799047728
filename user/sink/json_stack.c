// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "sink/json_stack.h"
#include "sink/json_value.h"

/* Texts that are kept, by where in the batch the stack is; they push each other out. */
#define CACHE 64

struct stack_text {
	const __u32 *frames; /* NULL: none */
	char *text;
};

struct json_stacks {
	struct stack_text texts[CACHE];
};

struct json_stacks *json_stacks__new(void)
{
	return calloc(1, sizeof(struct json_stacks));
}

void json_stacks__free(struct json_stacks *stacks)
{
	if (stacks)
		json_stacks__begin(stacks);
	free(stacks);
}

void json_stacks__begin(struct json_stacks *stacks)
{
	for (size_t i = 0; i < CACHE; i++) {
		free(stacks->texts[i].text);
		stacks->texts[i] = (struct stack_text){ 0 };
	}
}

static int put_string(FILE *out, const char *name, const char *value)
{
	char *text = value ? json_value__quoted(value) : NULL;

	fprintf(out, ",\"%s\":%s", name, text ? text : "null");
	free(text);
	return value && !text ? -ENOMEM : 0;
}

/* Without a library the place is an address. */
static int put_frame(FILE *out, const struct stack_frame *frame)
{
	int rc;

	if (frame->library)
		fprintf(out, "{\"address\":null,\"offset\":\"0x%llx\"", frame->place);
	else
		fprintf(out, "{\"address\":\"0x%llx\",\"offset\":null", frame->place);
	rc = put_string(out, "function", frame->function);
	if (!rc)
		rc = put_string(out, "library", frame->library);
	fputc('}', out);
	return rc;
}

static int make_text(struct stack_text *text, const struct call_batch *batch,
		     const struct call_stack *stack)
{
	size_t length;
	FILE *out;
	int rc = 0;

	free(text->text);
	*text = (struct stack_text){ 0 };
	out = open_memstream(&text->text, &length);
	if (!out)
		return -ENOMEM;
	for (size_t i = 0; i < stack->n && !rc; i++) {
		const struct stack_frame frame = call_batch__frame(batch, stack, i);

		fputc(i ? ',' : '[', out);
		rc = put_frame(out, &frame);
	}
	fputc(']', out);
	if (fclose(out) && !rc)
		rc = -ENOMEM;
	if (!rc)
		text->frames = stack->frames;
	return rc;
}

int json_stacks__put(struct json_stacks *stacks, FILE *out, const struct call_batch *batch,
		     const struct tm_call *call)
{
	struct call_stack stack;
	struct stack_text *text;
	int rc = 0;

	if (!batch->stack_of)
		return 0;
	if (!call_batch__stack(batch, call, &stack)) {
		fputs(",\"stack\":null", out);
		return 0;
	}
	text = &stacks->texts[(size_t)(stack.frames - batch->links) % CACHE];
	if (text->frames != stack.frames)
		rc = make_text(text, batch, &stack);
	if (!rc)
		fprintf(out, ",\"stack\":%s", text->text);
	return rc;
}
