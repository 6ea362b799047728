// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "page/calls.h"
#include "page/room.h"
#include "sink/json_call.h"
#include "sink/record_tree.h"

/* Of a stack, so many of the innermost frames. */
#define FRAMES_SHOWN 16

struct writer {
	struct page_list calls, operations;
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
		json_object_object_add(record, "frames_cut",
				       json_object_new_uint64(n - FRAMES_SHOWN));
	}
}

/* Of one call, or operation. */
static int put_batch(void *context, const struct report_run *run, const struct call_batch *batch)
{
	struct json_calls *calls = json_calls__new(run);
	struct record_tree tree = record_tree__new(NULL);
	struct writer *writer = context;
	struct json_object *record;

	if (calls && batch->n_calls)
		json_calls__add(calls, &tree.record, batch, 0);
	else if (calls && batch->n_operations)
		json_calls__add_operation(calls, &tree.record, batch, 0);
	json_calls__free(calls);
	record = record_tree__take(&tree);
	if (record)
		cut_stack(record);
	page_list__add(batch->n_calls ? &writer->calls : &writer->operations, record);
	return calls ? 0 : -ENOMEM;
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
	};
	int ret = slowest__each(calls->slowest, put_batch, &writer);

	page_document__put_list(document, "calls", &writer.calls, NULL);
	page_document__put_list(document, "operations", &writer.operations, NULL);
	write_array(document, "stories", calls->stories, ROOM_STORIES);
	write_array(document, "chains", calls->chains, ROOM_CHAINS);
	return ret;
}
