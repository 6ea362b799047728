// SPDX-License-Identifier: GPL-2.0-only
/* The slowest of many calls and operations: which are kept, as tables and as batches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "calls/call_pack.h"
#include "report/slowest.h"
#include "sample_run.h"
#include "tmtrace/spec.h"

#define SLOT_CALL      7
#define SLOT_OPERATION 8
#define KEPT	       3

static const struct tm_series called = { .key = { .job = 1001, .layer = LAYER_MSTRO } };
static const struct tm_series launched = {
	.key = { .job = 1001, .layer = LAYER_MIO, .flags = TM_KEY_OPERATION },
};

/* One that took so long, whose id says it too. */
static struct tm_call lasting(__u64 ns, __u32 slot)
{
	return (struct tm_call){ .start_ns = SAMPLE_TIME,
				 .duration_ns = ns,
				 .id = ns,
				 .pid = 41,
				 .tid = 42,
				 .slot = slot };
}

static struct call_pack *pack;
static struct sample sample;
static struct filter *filter;
static struct slowest *slowest;

static int open_all(void **state)
{
	(void)state;
	sample__open(&sample);
	pack = call_pack__new(64 << 10, false);
	filter = filter__new();
	slowest = slowest__new(KEPT, filter);
	return pack && filter && slowest ? 0 : -1;
}

static int close_all(void **state)
{
	(void)state;
	slowest__free(slowest);
	filter__free(filter);
	call_pack__free(pack);
	sample__close(&sample);
	return 0;
}

static void add_call(__u64 ns)
{
	struct tm_call call = lasting(ns, SLOT_CALL);

	call.object_kind = TM_OBJECT_STRING;
	assert_int_equal(call_pack__add(pack, &call, &called, "app", "field-7", NULL), 0);
}

static void add_operation(__u64 ns, __u8 loss, const char *kind)
{
	struct tm_operation_record operation = {
		.call = lasting(ns, SLOT_OPERATION),
		.submit_ns = 2000,
		.wait_ns = 3000,
		.late_ns = 4000,
		.fields[TM_FIELD_SEQNO] = 17,
		.known = TM_OPERATION_SUBMITTED | 1 << TM_FIELD_SEQNO,
		.loss = loss,
	};

	operation.call.flags = TM_CALL_OPERATION | TM_CALL_BYTES | TM_CALL_RC;
	operation.call.bytes = 4096;
	operation.call.rc = -5;
	operation.call.object_kind = TM_OBJECT_U128;
	operation.call.object[0] = 0x11;
	assert_int_equal(call_pack__add_operation(pack, &operation, &launched, "app", kind), 0);
}

static void take(void)
{
	struct call_batch batch;

	call_pack__finish(pack, &batch);
	slowest__take(slowest, &sample.run, &batch);
}

/* What is printed; to be freed. */
static char *print(void)
{
	struct table_options options = { 0 };
	char *text = NULL;
	struct error err;
	size_t length;

	options.out = open_memstream(&text, &length);
	assert_non_null(options.out);
	assert_int_equal(slowest__print(slowest, &options, &err), 0);
	fclose(options.out);
	return text;
}

static void test_none(void **state)
{
	char *text = print();

	(void)state;
	assert_string_equal(text, "\nno single calls were recorded: --calls records them\n");
	free(text);
}

struct seen {
	__u64 ids[2 * KEPT];
	size_t n, n_operations;
};

static int see(void *context, const struct report_run *run, const struct call_batch *batch)
{
	struct seen *seen = context;
	const struct tm_call *call = batch->n_calls ? batch->calls : &batch->operations->call;

	assert_ptr_equal(run, &sample.run);
	assert_int_equal(batch->n_calls + batch->n_operations, 1);
	assert_non_null(call_batch__series(batch, call->slot));
	assert_string_equal(call_batch__comm(batch, 42), "app");
	if (batch->n_calls)
		assert_string_equal(call_batch__name(batch, call), "field-7");
	else
		assert_string_equal(call_batch__kind(batch, batch->operations), "WRITE");
	seen->ids[seen->n++] = call->id;
	seen->n_operations += batch->n_operations;
	return 0;
}

/* Of each the slowest, in their order, whatever batch they were in. */
static void test_order(void **state)
{
	static const __u64 expected[] = { 900, 800, 700, 5900, 5800, 5700 };
	struct seen seen = { 0 };

	(void)state;
	for (__u64 ns = 100; ns <= 900; ns += 200) {
		add_call(ns);
		add_operation(5000 + ns, TM_OPERATION_LOSSES, "WRITE");
	}
	take();
	for (__u64 ns = 800; ns >= 200; ns -= 200) {
		add_call(ns);
		add_operation(5000 + ns, TM_OPERATION_LOSSES, "WRITE");
	}
	take();
	assert_int_equal(slowest__each(slowest, see, &seen), 0);
	assert_int_equal(seen.n, 2 * KEPT);
	assert_int_equal(seen.n_operations, KEPT);
	assert_memory_equal(seen.ids, expected, sizeof(expected));
}

static void test_tables(void **state)
{
	char *text;

	(void)state;
	add_call(900);
	add_operation(9 * MS, TM_OPERATION_LOSSES, "WRITE");
	add_operation(8 * MS, TM_OPERATION_KILLED, NULL);
	take();
	text = print();
	assert_non_null(strstr(text, "\nthe slowest calls:\n"));
	assert_non_null(strstr(text, "mstro_cdo_offer"));
	assert_non_null(strstr(text, "field-7"));
	assert_non_null(strstr(text, "\nthe slowest operations, from launch to completion:\n"));
	assert_non_null(strstr(text, "9.00 ms   2.00 us 3.00 us   4.00 us mio   WRITE"));
	assert_non_null(strstr(text, "WRITE"));
	assert_non_null(strstr(text, "mio_op_wait")); /* its kind is not known */
	assert_non_null(strstr(text, "killed"));
	assert_non_null(strstr(text, "0x11:0x0"));
	assert_null(strstr(text, "complete "));
	free(text);
}

/* What the filter leaves out is not kept in the place of others. */
static void test_filter(void **state)
{
	struct seen seen = { 0 };
	struct error err;

	(void)state;
	assert_int_equal(filter__add(filter, "layer=mio", &err), 0);
	add_call(900);
	add_operation(800, TM_OPERATION_LOSSES, "WRITE");
	take();
	assert_int_equal(slowest__each(slowest, see, &seen), 0);
	assert_int_equal(seen.n, 1);
	assert_int_equal(seen.n_operations, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_none),
		TEST(test_order),
		TEST(test_tables),
		TEST(test_filter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
