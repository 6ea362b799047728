// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "page/calls.h"
#include "page/room.h"
#include "sink/json_call.h"
#include "sink/json_value.h"

/* Of a stack, so many of the innermost frames. */
#define FRAMES_SHOWN 16

struct writer {
	struct page_list calls, operations;
	struct json_tokener *tokener;
};

static void cut_stack(struct json_object *record)
{
	struct json_object *stack;
	size_t n;

	if (!json_object_object_get_ex(record, "stack", &stack) ||
	    !json_object_is_type(stack, json_type_array))
		return;
	n = json_object_array_length(stack);
	if (n > FRAMES_SHOWN) {
		json_object_array_del_idx(stack, FRAMES_SHOWN, n - FRAMES_SHOWN);
		json_value__add_u64(record, "frames_cut", n - FRAMES_SHOWN);
	}
}

/* Records of calls are made as text, a line each: here of one alone. */
static int put(void *context, const struct report_run *run, const struct call_batch *batch)
{
	struct writer *writer = context;
	struct json_calls *calls = json_calls__new(run);
	struct json_object *record = NULL;
	const char *text;
	size_t length;
	int ret = calls ? json_calls__text(calls, batch, &text, &length) : -ENOMEM;

	if (!ret) {
		json_tokener_reset(writer->tokener);
		record = json_tokener_parse_ex(writer->tokener, text, (int)length);
	}
	if (record)
		cut_stack(record);
	page_list__add(batch->n_calls ? &writer->calls : &writer->operations, record);
	json_calls__free(calls);
	return ret;
}

static void write_array(struct page_document *document, const char *name, struct json_object *array,
			size_t room)
{
	struct page_list list = page_list__new(document, room);

	for (size_t i = 0; array && i < json_object_array_length(array); i++)
		page_list__add(&list, json_object_get(json_object_array_get_idx(array, i)));
	page_document__put_list(document, name, &list, NULL);
}

int page_calls__write(struct page_document *document, const struct page_calls *calls)
{
	struct writer writer = {
		.calls = page_list__new(document, ROOM_CALLS),
		.operations = page_list__new(document, ROOM_OPERATIONS),
		.tokener = json_tokener_new(),
	};
	int ret = writer.tokener ? slowest__each(calls->slowest, put, &writer) : -ENOMEM;

	page_document__put_list(document, "calls", &writer.calls, NULL);
	page_document__put_list(document, "operations", &writer.operations, NULL);
	write_array(document, "stories", calls->stories, ROOM_STORIES);
	write_array(document, "chains", calls->chains, ROOM_CHAINS);
	if (writer.tokener)
		json_tokener_free(writer.tokener);
	return ret;
}
