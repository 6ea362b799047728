// SPDX-License-Identifier: GPL-2.0-only
/* Batches of single calls: put together, read back, damaged, and as records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "json_records.h"
#include "call_sample.h"
#include "base/utf8.h"
#include "tmtrace/spec.h"

#define SLOT_OFFER 7
#define SLOT_WRITE 3000000U

static const struct tm_series offer = { .key = { .job = 1001, .layer = LAYER_MSTRO } };
static const struct tm_series write_data = {
	.key = { .job = 9, .layer = TM_LAYER_VFS, .function = TM_VFS_WRITE, .where = WHERE_DATA },
	.label = "ext4",
};

/* A call with nothing known beside its times. */
static struct tm_call plain(__u64 id, __u32 slot)
{
	return (struct tm_call){ .start_ns = SAMPLE_TIME,
				 .duration_ns = 1500,
				 .id = id,
				 .pid = 41,
				 .tid = 42,
				 .slot = slot };
}

static void test_round_trip(void **state)
{
	struct call_pack *pack = call_pack__new(64 << 10, false);
	struct call_batch batch, again;
	struct tm_call call;

	(void)state;
	assert_non_null(pack);
	for (__u64 id = 1; id <= 100; id++) {
		call = plain(id, id % 2 ? SLOT_OFFER : SLOT_WRITE);
		call.object_kind = id % 2 ? TM_OBJECT_STRING : TM_OBJECT_NONE;
		assert_int_equal(call_pack__add(pack, &call, id % 2 ? &offer : &write_data, "app",
						id % 2 ? "name" : NULL, NULL),
				 0);
	}
	assert_int_equal(call_pack__n(pack), 100);
	call_pack__finish(pack, &batch);
	assert_int_equal(call_pack__n(pack), 0);
	assert_int_equal(call_batch__open(&again, batch.data, batch.size), 0);
	assert_int_equal(again.n_calls, 100);
	assert_int_equal(again.n_series, 2);
	assert_int_equal(again.n_threads, 1);
	assert_int_equal(call_batch__series(&again, SLOT_OFFER)->job, 1001);
	assert_string_equal(call_batch__series(&again, SLOT_WRITE)->label, "ext4");
	assert_null(call_batch__series(&again, 8));
	assert_string_equal(call_batch__comm(&again, 42), "app");
	assert_null(call_batch__comm(&again, 41));
	assert_string_equal(call_batch__name(&again, &again.calls[0]), "name");
	assert_null(call_batch__name(&again, &again.calls[1]));
	assert_int_equal(again.calls[99].id, 100);
	call_pack__free(pack);
}

/* However small the room, no batch is larger, and no call is lost. */
static void test_full(void **state)
{
	struct call_pack *pack = call_pack__new(CALL_PACK_MIN, false);
	struct call_batch batch;
	char name[TM_CALL_NAME];
	size_t seen = 0;

	(void)state;
	assert_null(call_pack__new(CALL_PACK_MIN - 1, false));
	for (__u32 i = 0; i < 5000; i++) {
		struct tm_call call = plain(i + 1, i);

		call.tid = i % 7 * 1024 + 1; /* which push each other out of the cache */
		call.object_kind = TM_OBJECT_STRING;
		snprintf(name, sizeof(name), "%0*u", (int)(i % 111 + 1), i);
		if (call_pack__add(pack, &call, &offer, "thread", name, NULL) == 0)
			continue;
		call_pack__finish(pack, &batch);
		assert_true(batch.size <= CALL_PACK_MIN);
		for (size_t k = 0; k < batch.n_calls; k++)
			assert_int_equal(batch.calls[k].id, ++seen);
		assert_int_equal(call_pack__add(pack, &call, &offer, "thread", name, NULL), 0);
	}
	call_pack__finish(pack, &batch);
	assert_int_equal(seen + batch.n_calls, 5000);
	call_pack__free(pack);
}

/* Everything that a reader asks for. */
static void read_all(const struct call_batch *batch)
{
	for (size_t i = 0; i < batch->n_calls; i++) {
		const char *name = call_batch__name(batch, &batch->calls[i]);
		const char *comm = call_batch__comm(batch, batch->calls[i].tid);

		assert_true(!name || strlen(name) < TM_CALL_NAME);
		assert_true(!comm || strlen(comm) < 16);
		call_batch__series(batch, batch->calls[i].slot);
	}
	for (size_t i = 0; i < batch->n_operations; i++) {
		const char *kind = call_batch__kind(batch, &batch->operations[i]);

		assert_true(!kind || strlen(kind) < CALL_PACK_MIN);
	}
}

static void test_damaged(void **state)
{
	struct call_pack *pack = call_pack__new(CALL_PACK_MIN, false);
	struct tm_call call = plain(1, SLOT_OFFER);

	(void)state;
	call.object_kind = TM_OBJECT_STRING;
	assert_int_equal(call_pack__add(pack, &call, &offer, "app", "name", NULL), 0);
	check_damaged(pack, read_all);
	call_pack__free(pack);
}

static void test_records(void **state)
{
	struct call_pack *pack = call_pack__new(CALL_PACK_MIN, false);
	struct tm_call call = plain(5, SLOT_OFFER);
	struct sample sample;
	struct records records = { 0 };

	(void)state;
	sample__open(&sample);
	call.parent = 4;
	call.depth = 1;
	call.rc = -5;
	call.flags = TM_CALL_RC;
	call.object_kind = TM_OBJECT_U128;
	call.object[0] = 0x11;
	call.object[1] = 0x22;
	assert_int_equal(call_pack__add(pack, &call, &offer, "a\"\n\xff", NULL, NULL), 0);
	call = plain(6, SLOT_WRITE);
	call.tid = 0;
	call.bytes = 4096;
	call.flags = TM_CALL_RC | TM_CALL_BYTES;
	call.rc = 4096;
	assert_int_equal(call_pack__add(pack, &call, &write_data, "", NULL, NULL), 0);
	call = plain(7, SLOT_OFFER);
	call.object_kind = TM_OBJECT_STRING;
	assert_int_equal(call_pack__add(pack, &call, &offer, "app", "x\"\\\n\xed\xa0\x80y", NULL),
			 0);
	write_calls(&sample, pack, &records);
	assert_int_equal(records.n, 3);

	check_string(records.at[0], "type", "call");
	check_string(records.at[0], "time", "2023-11-14T22:13:20.123456789Z");
	check_number(records.at[0], "time_ns", SAMPLE_TIME);
	check_string(records.at[0], "hostname", "node17");
	check_string(records.at[0], "cgroup", "/slurm/job_1");
	check_string(records.at[0], "layer", "mstro");
	check_string(records.at[0], "function", "mstro_cdo_offer");
	check_string(records.at[0], "comm", "a\"\n" UTF8_REPLACEMENT);
	check_string(records.at[0], "timestamp", "1700000000.123456");
	check_string(records.at[0], "wtime", "0.000001");
	check_number(records.at[0], "id", 5);
	check_number(records.at[0], "parent_id", 4);
	check_number(records.at[0], "depth", 1);
	check_number(records.at[0], "start_ns", SAMPLE_TIME);
	check_number(records.at[0], "duration_ns", 1500);
	check_string(records.at[0], "rc", "-5");
	check_null(records.at[0], "bytes");
	check_string(records.at[0], "object", "0x11:0x22");

	check_string(records.at[1], "layer", "vfs");
	check_string(records.at[1], "function", "write");
	check_string(records.at[1], "fs_type", "ext4");
	check_null(records.at[1], "tid");
	check_null(records.at[1], "comm");
	check_null(records.at[1], "parent_id");
	check_null(records.at[1], "depth");
	check_null(records.at[1], "object");
	check_number(records.at[1], "bytes", 4096);

	check_null(records.at[2], "rc");
	check_string(records.at[2], "object",
		     "x\"\\\n" UTF8_REPLACEMENT UTF8_REPLACEMENT UTF8_REPLACEMENT "y");
	free_records(&records);
	call_pack__free(pack);
	sample__close(&sample);
}

#define SLOT_DISK 11

static const struct tm_series write_disk = {
	.key = { .job = 1001,
		 .layer = TM_LAYER_BLOCK,
		 .function = TM_BLOCK_WRITE,
		 .where = WHERE_DISK,
		 .flags = TM_KEY_METADATA },
	.label = "sda",
};

/* A block request of a process, and one that the kernel started, which has no place and failed. */
static void test_requests(void **state)
{
	struct call_pack *pack = call_pack__new(CALL_PACK_MIN, false);
	struct tm_call call = plain(5, SLOT_DISK);
	struct records records = { 0 };
	struct sample sample;

	(void)state;
	sample__open(&sample);
	call.parent = 4;
	call.flags = TM_CALL_REQUEST | TM_CALL_RC | TM_CALL_BYTES;
	call.bytes = 4096;
	call.object[0] = 2048;
	call.object[1] = 300;
	assert_int_equal(call_pack__add(pack, &call, &write_disk, "app", NULL, NULL), 0);
	call.id = 6;
	call.parent = call.pid = call.tid = 0;
	call.flags = TM_CALL_REQUEST | TM_CALL_RC;
	call.rc = -5;
	call.object[0] = TM_NO_SECTOR;
	call.object[1] = 10000; /* of a damaged recording */
	assert_int_equal(call_pack__add(pack, &call, &write_disk, "", NULL, NULL), 0);
	write_calls(&sample, pack, &records);
	assert_int_equal(records.n, 2);

	check_string(records.at[0], "type", "call");
	check_string(records.at[0], "layer", "block");
	check_string(records.at[0], "function", "write");
	check_string(records.at[0], "device", "sda");
	check_string(records.at[0], "writeback", "false");
	check_string(records.at[0], "metadata", "true");
	check_number(records.at[0], "pid", 41);
	check_number(records.at[0], "tid", 42);
	check_string(records.at[0], "comm", "app");
	check_number(records.at[0], "parent_id", 4);
	check_null(records.at[0], "depth");
	check_null(records.at[0], "object");
	check_number(records.at[0], "rc", 0);
	check_number(records.at[0], "bytes", 4096);
	check_number(records.at[0], "sector", 2048);
	check_number(records.at[0], "queue_ns", 300);
	check_number(records.at[0], "service_ns", 1200);
	check_number(records.at[0], "duration_ns", 1500);

	check_null(records.at[1], "pid");
	check_null(records.at[1], "tid");
	check_null(records.at[1], "comm");
	check_null(records.at[1], "parent_id");
	check_null(records.at[1], "bytes");
	check_null(records.at[1], "sector");
	check_string(records.at[1], "rc", "-5");
	check_number(records.at[1], "queue_ns", 1500);
	check_number(records.at[1], "service_ns", 0);
	free_records(&records);
	call_pack__free(pack);
	sample__close(&sample);
}

/* The operations that a function launched. */
static const struct tm_series offered = {
	.key = { .job = 1001, .layer = LAYER_MSTRO, .flags = TM_KEY_OPERATION },
};

/* One that was complete, and nothing else is known. */
static struct tm_operation_record operation(__u64 id)
{
	return (struct tm_operation_record){
		.call = plain(id, SLOT_OFFER),
		.loss = TM_OPERATION_LOSSES,
	};
}

/* In a batch of their own version; one that has none is as it always was. */
static void test_operations(void **state)
{
	struct call_pack *pack = call_pack__new(CALL_PACK_MIN, false);
	const struct call_batch_header *header;
	struct tm_operation_record one = operation(9);
	struct tm_call call = plain(8, SLOT_WRITE);
	struct call_batch batch, again;

	(void)state;
	assert_int_equal(call_pack__add(pack, &call, &write_data, "app", NULL, NULL), 0);
	call_pack__finish(pack, &batch);
	header = batch.data;
	assert_int_equal(header->version, CALL_BATCH_VERSION);
	assert_int_equal(batch.n_operations, 0);

	assert_int_equal(call_pack__add(pack, &call, &write_data, "app", NULL, NULL), 0);
	assert_int_equal(call_pack__add_operation(pack, &one, &offered, "app", "READ"), 0);
	one = operation(10);
	assert_int_equal(call_pack__add_operation(pack, &one, &offered, "app", NULL), 0);
	assert_int_equal(call_pack__n(pack), 3);
	call_pack__finish(pack, &batch);
	header = batch.data;
	assert_int_equal(header->version, CALL_BATCH_VERSION_OPERATIONS);
	assert_int_equal(call_batch__open(&again, batch.data, batch.size), 0);
	assert_int_equal(again.n_calls, 1);
	assert_int_equal(again.n_operations, 2);
	assert_int_equal(again.operations[0].call.id, 9);
	assert_string_equal(call_batch__kind(&again, &again.operations[0]), "READ");
	assert_null(call_batch__kind(&again, &again.operations[1]));
	assert_int_equal(call_batch__series(&again, SLOT_OFFER)->flags, TM_KEY_OPERATION);
	call_pack__free(pack);
}

static void test_damaged_operations(void **state)
{
	struct call_pack *pack = call_pack__new(CALL_PACK_MIN, true);
	struct tm_operation_record one = operation(9);
	struct tm_call call = plain(8, SLOT_WRITE);

	(void)state;
	assert_int_equal(call_pack__add(pack, &call, &write_data, "app", NULL, NULL), 0);
	assert_int_equal(call_pack__add_operation(pack, &one, &offered, "app", "READ"), 0);
	check_damaged(pack, read_all);
	call_pack__free(pack);
}

/* However many, no batch is larger than its room, and none is lost. */
static void test_many_operations(void **state)
{
	struct call_pack *pack = call_pack__new(CALL_PACK_MIN, false);
	struct call_batch batch;
	char kind[64];
	size_t seen = 0;

	(void)state;
	for (__u64 id = 1; id <= 1000; id++) {
		struct tm_operation_record one = operation(id);

		snprintf(kind, sizeof(kind), "%0*llu", (int)(id % 60) + 1, id);
		if (call_pack__add_operation(pack, &one, &offered, "app", kind) == 0)
			continue;
		call_pack__finish(pack, &batch);
		assert_true(batch.size <= CALL_PACK_MIN);
		for (size_t k = 0; k < batch.n_operations; k++)
			assert_int_equal(batch.operations[k].call.id, ++seen);
		assert_int_equal(call_pack__add_operation(pack, &one, &offered, "app", kind), 0);
	}
	call_pack__finish(pack, &batch);
	assert_int_equal(seen + batch.n_operations, 1000);
	call_pack__free(pack);
}

static void test_operation_records(void **state)
{
	struct call_pack *pack = call_pack__new(CALL_PACK_MIN, false);
	struct tm_operation_record one = operation(9);
	struct records records = { 0 };
	struct json_object *phases;
	struct sample sample;

	(void)state;
	sample__open(&sample);
	one.call.parent = 4;
	one.call_id = 4;
	one.call.bytes = 4096;
	one.call.flags = TM_CALL_OPERATION | TM_CALL_BYTES | TM_CALL_RC;
	one.submit_ns = 500;
	one.wait_ns = 900;
	one.late_ns = 70;
	one.fields[TM_FIELD_SEQNO] = 0;
	one.fields[TM_FIELD_SESSION] = 3;
	one.fields[TM_FIELD_SM_ID] = 0x123456789;
	one.known = TM_OPERATION_SUBMITTED | 1 << TM_FIELD_SEQNO | 1 << TM_FIELD_SESSION |
		    1 << TM_FIELD_SM_ID;
	assert_int_equal(call_pack__add_operation(pack, &one, &offered, "app", "READ"), 0);
	one = operation(10);
	one.loss = TM_OPERATION_FORGOTTEN;
	assert_int_equal(call_pack__add_operation(pack, &one, &offered, "app", NULL), 0);
	write_calls(&sample, pack, &records);
	assert_int_equal(records.n, 2);

	check_string(records.at[0], "type", "operation");
	check_number(records.at[0], "time_ns", SAMPLE_TIME);
	check_string(records.at[0], "layer", "mstro");
	check_string(records.at[0], "function", "mstro_cdo_offer");
	check_string(records.at[0], "kind", "READ");
	check_string(records.at[0], "fate", "complete");
	check_number(records.at[0], "id", 9);
	check_number(records.at[0], "parent_id", 4);
	check_number(records.at[0], "call_id", 4);
	check_number(records.at[0], "launch_ns", SAMPLE_TIME);
	check_number(records.at[0], "complete_ns", SAMPLE_TIME + 1500);
	check_number(records.at[0], "duration_ns", 1500);
	check_number(records.at[0], "rc", 0);
	check_number(records.at[0], "bytes", 4096);
	check_number(records.at[0], "seqno", 0);
	check_number(records.at[0], "session", 3);
	check_number(records.at[0], "sm_id", 0x123456789);
	phases = json_object_object_get(records.at[0], "phases");
	check_number(phases, "submit_ns", 500);
	check_number(phases, "in_flight_ns", 1000);
	check_number(phases, "wait_ns", 900);
	check_number(phases, "late_poll_ns", 70);

	check_string(records.at[1], "kind", "mstro_cdo_offer");
	check_string(records.at[1], "fate", "forgotten");
	check_null(records.at[1], "complete_ns");
	check_null(records.at[1], "parent_id");
	check_null(records.at[1], "rc");
	check_null(records.at[1], "seqno");
	check_null(json_object_object_get(records.at[1], "phases"), "submit_ns");
	free_records(&records);
	call_pack__free(pack);
	sample__close(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operations),	cmocka_unit_test(test_damaged_operations),
		cmocka_unit_test(test_many_operations), cmocka_unit_test(test_operation_records),
		cmocka_unit_test(test_round_trip),	cmocka_unit_test(test_full),
		cmocka_unit_test(test_damaged),		cmocka_unit_test(test_records),
		cmocka_unit_test(test_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
