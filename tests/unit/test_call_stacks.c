// SPDX-License-Identifier: GPL-2.0-only
/* Stacks in batches of single calls: each once, read back, too large, damaged, and as records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "json_records.h"
#include "call_sample.h"

static const struct tm_series offer = { .key = { .job = 1001, .layer = LAYER_MSTRO } };

static const struct stack_frame frames[] = {
	{ "inner", "/lib/libmio.so", 0x1234 },
	{ "outer", "/bin/app", 0x99 },
	{ NULL, "/bin/app", 0x100 },
	{ NULL, NULL, 0x7f0000001000 },
};

/* The first n of the frames. */
static struct stack stack_of(__u64 id, size_t n)
{
	return (struct stack){ .id = id, .n = n, .frames = frames };
}

static void add(struct call_pack *pack, __u64 id, const struct stack *stack)
{
	const struct tm_call call = {
		.start_ns = SAMPLE_TIME, .id = id, .pid = 41, .tid = 42, .slot = 7
	};

	assert_int_equal(call_pack__add(pack, &call, &offer, "app", NULL, stack), 0);
}

static void check_frame(const struct call_batch *batch, const struct call_stack *stack, size_t i)
{
	const struct stack_frame frame = call_batch__frame(batch, stack, i);

	assert_int_equal(frame.place, frames[i].place);
	if (frames[i].function)
		assert_string_equal(frame.function, frames[i].function);
	else
		assert_null(frame.function);
	if (frames[i].library)
		assert_string_equal(frame.library, frames[i].library);
	else
		assert_null(frame.library);
}

/* Of a thousand calls with the same stacks, these are there once. */
static void test_each_once(void **state)
{
	struct call_pack *pack = call_pack__new(1 << 20, true);
	const struct stack whole = stack_of(1, 4), part = stack_of(2, 2);
	const struct stack *stacks[] = { &whole, &part, NULL };
	struct call_batch batch, again;
	struct call_stack stack;

	(void)state;
	assert_non_null(pack);
	for (__u64 id = 0; id < 1000; id++)
		add(pack, id, stacks[id % 3]);
	call_pack__finish(pack, &batch);
	assert_int_equal(call_batch__open(&again, batch.data, batch.size), 0);
	assert_int_equal(again.n_calls, 1000);
	assert_int_equal(again.n_frames, 4);
	assert_int_equal(again.n_links, 5 + 3);
	for (size_t i = 0; i < again.n_calls; i++) {
		const struct stack *wanted = stacks[i % 3];

		assert_int_equal(call_batch__stack(&again, &again.calls[i], &stack), !!wanted);
		if (!wanted)
			continue;
		assert_int_equal(stack.n, wanted->n);
		for (size_t k = 0; k < stack.n; k++)
			check_frame(&again, &stack, k);
	}
	/* The next batch has what it needs itself. */
	add(pack, 1, &part);
	call_pack__finish(pack, &batch);
	assert_int_equal(batch.n_frames, 2);
	assert_true(call_batch__stack(&batch, &batch.calls[0], &stack));
	check_frame(&batch, &stack, 1);
	call_pack__free(pack);
}

/* Where no stacks are recorded a batch is as it always was. */
static void test_without(void **state)
{
	struct call_pack *pack = call_pack__new(CALL_PACK_MIN, false);
	struct call_stack stack;
	struct call_batch batch;

	(void)state;
	add(pack, 1, NULL);
	call_pack__finish(pack, &batch);
	assert_int_equal(*(const __u32 *)batch.data, CALL_BATCH_VERSION);
	assert_null(batch.stack_of);
	assert_false(call_batch__stack(&batch, &batch.calls[0], &stack));
	call_pack__free(pack);
}

/* However small the room, no batch is larger, and no call is lost; what fits in none is refused. */
static void test_full(void **state)
{
	struct call_pack *pack = call_pack__new(CALL_PACK_MIN, true);
	const struct tm_call call = { .start_ns = SAMPLE_TIME, .tid = 42, .slot = 7 };
	char name[CALL_PACK_MIN];
	struct stack_frame frame = { .function = name, .library = "/lib/x" };
	struct stack stack = { .n = 1, .frames = &frame };
	struct call_batch batch;
	size_t n = 0;

	(void)state;
	for (__u64 id = 1; id <= 3000; id++) {
		snprintf(name, sizeof(name), "%0*llu", (int)(id % 900 + 1), id);
		stack.id = id % 5 ? id : 1;
		frame.place = id;
		if (call_pack__add(pack, &call, &offer, "app", NULL, &stack) == 0)
			continue;
		call_pack__finish(pack, &batch);
		assert_true(batch.size <= CALL_PACK_MIN);
		n += batch.n_calls;
		assert_int_equal(call_pack__add(pack, &call, &offer, "app", NULL, &stack), 0);
	}
	call_pack__finish(pack, &batch);
	assert_int_equal(n + batch.n_calls, 3000);
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	stack.id = 10000;
	assert_int_equal(call_pack__add(pack, &call, &offer, "app", NULL, &stack), -ENOSPC);
	assert_int_equal(call_pack__add(pack, &call, &offer, "app", NULL, NULL), 0);
	call_pack__free(pack);
}

/* Everything that a reader asks for. */
static void read_all(const struct call_batch *batch)
{
	struct call_stack stack;

	for (size_t i = 0; i < batch->n_calls; i++) {
		if (!call_batch__stack(batch, &batch->calls[i], &stack))
			continue;
		assert_in_range(stack.n, 1, TM_STACK_MAX);
		for (size_t k = 0; k < stack.n; k++) {
			const struct stack_frame frame = call_batch__frame(batch, &stack, k);

			assert_true(!frame.function || strlen(frame.function) < batch->size);
			assert_true(!frame.library || strlen(frame.library) < batch->size);
		}
	}
}

static void test_damaged(void **state)
{
	struct call_pack *pack = call_pack__new(CALL_PACK_MIN, true);
	const struct stack whole = stack_of(1, 4), part = stack_of(2, 1);

	(void)state;
	add(pack, 1, &whole);
	add(pack, 2, &part);
	add(pack, 3, NULL);
	check_damaged(pack, read_all);
	call_pack__free(pack);
}

static void test_records(void **state)
{
	struct call_pack *pack = call_pack__new(CALL_PACK_MIN, true);
	const struct stack whole = stack_of(1, 4);
	struct json_object *list, *frame;
	struct records records = { 0 };
	struct sample sample;

	(void)state;
	sample__open(&sample);
	add(pack, 1, &whole);
	add(pack, 2, NULL);
	add(pack, 3, &whole);
	write_calls(&sample, pack, &records);
	assert_int_equal(records.n, 3);
	check_null(records.at[1], "stack");
	for (size_t i = 0; i < 3; i += 2) {
		assert_true(json_object_object_get_ex(records.at[i], "stack", &list));
		assert_int_equal(json_object_array_length(list), 4);
		frame = json_object_array_get_idx(list, 0);
		check_string(frame, "function", "inner");
		check_string(frame, "library", "/lib/libmio.so");
		check_string(frame, "offset", "0x1234");
		check_null(frame, "address");
		frame = json_object_array_get_idx(list, 3);
		check_null(frame, "function");
		check_null(frame, "library");
		check_null(frame, "offset");
		check_string(frame, "address", "0x7f0000001000");
	}
	free_records(&records);
	call_pack__free(pack);
	sample__close(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_once), cmocka_unit_test(test_without),
		cmocka_unit_test(test_full),	  cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
