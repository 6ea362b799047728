// SPDX-License-Identifier: GPL-2.0-only
/* Whatever stands in a batch of single calls is read within its bounds, or refused; and as text. */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "calls/call_batch.h"
#include "recording/recorded_names.h"
#include "sink/json_call.h"
#include "sink/record_text.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void check(int condition)
{
	if (!condition)
		abort();
}

static void check_string(const struct call_batch *batch, const char *text)
{
	check(!text || strlen(text) < batch->size);
}

static void read_stack(const struct call_batch *batch, const struct tm_call *call)
{
	struct call_stack stack;

	if (!call_batch__stack(batch, call, &stack))
		return;
	check(stack.n && stack.n <= TM_STACK_MAX);
	for (size_t i = 0; i < stack.n; i++) {
		const struct stack_frame frame = call_batch__frame(batch, &stack, i);

		check_string(batch, frame.function);
		check_string(batch, frame.library);
	}
}

static void read_call(const struct call_batch *batch, const struct tm_call *call)
{
	char halves[48];

	call_batch__series(batch, call->slot);
	check_string(batch, call_batch__comm(batch, call->tid));
	check_string(batch, call_batch__name(batch, call));
	check(call_batch__u128(call, halves, sizeof(halves)) == halves);
	read_stack(batch, call);
}

/* Is the record JSON? */
static void check_record(struct record *record)
{
	struct record_text *text = (struct record_text *)record;
	struct json_object *parsed;

	check(record->failure == 0 && record_text__add_bytes(text, "", 1) == 0);
	parsed = json_tokener_parse(text->bytes);
	check(parsed != NULL);
	json_object_put(parsed);
	text->n = 0;
}

/* As records: whatever the batch says, each one is JSON. */
static void write_records(const struct call_batch *batch)
{
	struct recorded_names *names = recorded_names__new();
	const struct report_run run = {
		.hostname = "node",
		.epoch = "1-1",
		.names = recorded_names__table(names),
	};
	struct record_text text = record_text__new(check_record);
	struct json_calls *calls = json_calls__new(&run);

	for (size_t i = 0; i < batch->n_calls; i++)
		json_calls__add(calls, &text.record, batch, i);
	for (size_t i = 0; i < batch->n_operations; i++)
		json_calls__add_operation(calls, &text.record, batch, i);
	json_calls__free(calls);
	free(text.bytes);
	recorded_names__free(names);
}

static void try(const void *data, size_t size)
{
	struct call_batch batch;

	if (call_batch__open(&batch, data, size) < 0)
		return;
	for (size_t i = 0; i < batch.n_calls; i++)
		read_call(&batch, &batch.calls[i]);
	for (size_t i = 0; i < batch.n_operations; i++) {
		call_batch__series(&batch, batch.operations[i].call.slot);
		check_string(&batch, call_batch__kind(&batch, &batch.operations[i]));
	}
	write_records(&batch);
}

/* Small numbers in the headers, and as many bytes of the rest as they say: few inputs have that. */
static void try_mended(const unsigned char *data, size_t size)
{
	struct call_batch_header header;
	struct call_stacks_header stacks = { 0 };
	struct call_operations_header operations = { 0 };
	size_t before, all, stacks_bytes = 0, operations_bytes = 0;
	unsigned char *copy;

	if (size < sizeof(header) + sizeof(stacks))
		return;
	memcpy(&header, data, sizeof(header));
	memcpy(&stacks, data + sizeof(header), sizeof(stacks));
	data += sizeof(header) + sizeof(stacks);
	size -= sizeof(header) + sizeof(stacks);
	header.version = CALL_BATCH_VERSION + header.version % 3;
	header.n_series %= 4;
	header.n_threads %= 4;
	header.n_calls %= 8;
	header.names_bytes = header.names_bytes % 32 * 8;
	stacks.n_frames %= 8;
	stacks.n_links %= 32;
	operations.n = header.stacks_bytes % 4;
	if (header.version == CALL_BATCH_VERSION_OPERATIONS)
		operations_bytes =
			sizeof(operations) + operations.n * sizeof(struct tm_operation_record);
	if (header.version == CALL_BATCH_VERSION_STACKS || operations.n % 2)
		stacks_bytes = sizeof(stacks) + stacks.n_frames * sizeof(struct call_frame) +
			       (stacks.n_links + header.n_calls + 1) / 2 * 8;
	header.stacks_bytes = (__u32)stacks_bytes;
	before = sizeof(header) + header.n_series * sizeof(struct call_series) +
		 header.n_threads * sizeof(struct call_thread) +
		 header.n_calls * sizeof(struct tm_call) + header.names_bytes;
	all = before + stacks_bytes + operations_bytes;
	copy = calloc(1, all);
	if (!copy)
		return;
	memcpy(copy + sizeof(header), data,
	       size < all - sizeof(header) ? size : all - sizeof(header));
	memcpy(copy, &header, sizeof(header));
	if (stacks_bytes)
		memcpy(copy + before, &stacks, sizeof(stacks));
	if (operations_bytes)
		memcpy(copy + before + stacks_bytes, &operations, sizeof(operations));
	try(copy, all);
	free(copy);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	void *copy = malloc(size + 1); /* aligned, as in memory that a recording is read into */

	if (!copy)
		return 0;
	memcpy(copy, data, size);
	try(copy, size);
	free(copy);
	try_mended(data, size);
	return 0;
}
