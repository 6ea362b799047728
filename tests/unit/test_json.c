// SPDX-License-Identifier: GPL-2.0-only
/* Records by their contract: names, numbers, nulls. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/utf8.h"
#include "json_records.h"
#include "sink/record_text.h"
#include "sink/record_tree.h"
#include "tmtrace/env_job.h"
#include "tmtrace/object.h"

/* The text is what json-c makes of it. */
static void check_text(struct json_object *value)
{
	struct record_text text = record_text__new(NULL);
	const char *wanted = json_object_to_json_string_ext(
		value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);

	record_tree__walk(value, &text.record, NULL);
	assert_int_equal(text.record.failure, 0);
	assert_int_equal(text.n, strlen(wanted));
	assert_memory_equal(text.bytes, wanted, text.n);
	free(text.bytes);
}

static void test_text(void **state)
{
	struct json_object *object = json_object_new_object(), *array = json_object_new_array();
	char all[127];

	(void)state;
	for (int i = 0; i < 127; i++)
		all[i] = (char)(i + 1);
	json_object_object_add(object, "empty", json_object_new_object());
	json_object_object_add(object, "none", json_object_new_array());
	json_object_object_add(object, "null", NULL);
	json_object_object_add(object, "\"\\/\n\x1f\x7f", json_object_new_string_len(all, 127));
	json_object_object_add(object, "double", json_object_new_double_s(0.5, "0.500000"));
	json_object_object_add(object, "plain", json_object_new_double(1.0 / 3));
	json_object_array_add(array, json_object_new_boolean(1));
	json_object_array_add(array, json_object_new_boolean(0));
	json_object_array_add(array, json_object_new_int64(INT64_MIN));
	json_object_array_add(array, json_object_new_int64(-1));
	json_object_array_add(array, json_object_new_int(0));
	json_object_array_add(array, json_object_new_int64(INT64_MAX));
	json_object_array_add(array, json_object_new_uint64(UINT64_MAX));
	json_object_array_add(array, NULL);
	json_object_object_add(object, "array", array);
	check_text(object);
	json_object_put(object);
}

static void add_all(struct record *record)
{
	const __u64 counts[] = { 3, 0, 7 };
	const struct histogram histogram = { .first = 40, .n = 3, .count = counts };

	record__open(record, NULL);
	record__string(record, "na\"me", "a\x01\n\"\\/\xff");
	record__string(record, "none", NULL);
	record__u64(record, "most", UINT64_MAX);
	record__i64(record, "least", INT64_MIN);
	record__measured(record, "measured", 0, true);
	record__measured(record, "unknown", 5, false);
	record__open(record, "empty");
	record__close(record);
	record__open(record, "in");
	record__bool(record, "yes", true);
	record__hex(record, "hex", 0x1f);
	record__close(record);
	record__fixed(record, "half", 0.5, 6);
	record__double(record, "one", 1);
	record__double(record, "third", 1.0 / 3);
	record__seconds(record, "seconds", 1000999999);
	record__buckets(record, "buckets", &histogram);
	record__open_array(record, "first");
	record__size_edges(record, 0);
	record__close_array(record);
	record__open_array(record, "last");
	record__size_edges(record, TM_OBJECT_SIZES - 1);
	record__close_array(record);
	record__end(record);
}

/* Whoever takes a record: text and tree are the same. */
static void test_record(void **state)
{
	struct record_text text = record_text__new(NULL), again = record_text__new(NULL);
	struct record_tree tree = record_tree__new(NULL);
	struct json_object *object;
	char wanted[1024];

	(void)state;
	assert_int_equal(record_text__add_bytes(&text, "before ", 7), 0);
	add_all(&text.record);
	snprintf(wanted, sizeof(wanted),
		 "before {\"na\\\"me\":\"a\\u0001\\n\\\"\\\\/" UTF8_REPLACEMENT "\",\"none\":null,"
		 "\"most\":18446744073709551615,\"least\":-9223372036854775808,\"measured\":0,"
		 "\"unknown\":null,\"empty\":{},\"in\":{\"yes\":true,\"hex\":\"0x1f\"},"
		 "\"half\":0.500000,\"one\":1.0,\"third\":0.33333333333333331,"
		 "\"seconds\":1.000999,\"buckets\":[[%llu,%llu,3],[%llu,%llu,7]],"
		 "\"first\":[0,%llu],\"last\":[%llu,null]}",
		 tm_bucket_lower(40), tm_bucket_upper(40), tm_bucket_lower(42), tm_bucket_upper(42),
		 (__u64)tm_object_size_edge(0),
		 (__u64)tm_object_size_edge(TM_OBJECT_SIZES - 2) + 1);
	assert_int_equal(text.n, strlen(wanted));
	assert_memory_equal(text.bytes, wanted, text.n);
	add_all(&tree.record);
	object = record_tree__take(&tree);
	check_number(object, "measured", 0);
	check_null(object, "none");
	assert_int_equal(json_object_get_uint64(member(object, "most")), UINT64_MAX);
	record_tree__walk(object, &again.record, NULL);
	assert_int_equal(again.n, text.n - 7);
	assert_memory_equal(again.bytes, text.bytes + 7, again.n);
	json_object_put(object);
	free(again.bytes);
	free(text.bytes);
}

/* What is too deep fails as a whole, and the next one does not. */
static void test_deep(void **state)
{
	struct record_tree tree = record_tree__new(NULL);
	struct json_object *object;

	(void)state;
	for (int i = 0; i <= RECORD_TREE_DEPTH; i++)
		record__open_array(&tree.record, NULL);
	for (int i = 0; i <= RECORD_TREE_DEPTH; i++)
		record__close_array(&tree.record);
	assert_null(record_tree__take(&tree));
	add_all(&tree.record);
	object = record_tree__take(&tree);
	assert_non_null(object);
	json_object_put(object);
}

static void check_common(struct json_object *record)
{
	check_number(record, "v", 1);
	check_string(record, "hostname", "node17");
	check_string(record, "epoch", "e1");
	assert_int_equal(strlen(json_object_get_string(member(record, "time"))), 30);
	member(record, "time_ns");
}

static void test_run(void **state)
{
	struct sample sample;
	struct records records;
	struct json_object *start, *end;

	(void)state;
	sample__open(&sample);
	sample__fill(&sample, 1001);
	write_run(&sample, &records, true);
	for (size_t i = 0; i < records.n; i++) {
		check_common(records.at[i]);
		check_text(records.at[i]);
	}
	assert_int_equal(count_type(&records, "run"), 2);

	start = records.at[0];
	check_string(start, "type", "run");
	check_final(start, false);
	check_null(start, "end_ns");
	check_string(start, "version", "0.1.0");
	check_string(start, "kernel", "6.1.0-test");
	check_string(start, "scope", "pid 4711");
	assert_int_equal(json_object_array_length(member(start, "argv")), 3);
	assert_int_equal(json_object_array_length(member(start, "layers")), 4);
	check_string(start, "mechanisms.mstro", "uprobe_multi");
	check_number(start, "hit_cost_ns.stepped", 6100);
	check_number(start, "hit_inside_ns.emulated", 400);
	check_number(start, "hit_counted_ns.emulated", 500);
	check_null(start, "hit_counted_ns.stepped");
	check_null(start, "probe_share");
	assert_int_equal(json_object_array_length(member(start, "notes")), 1);

	end = records.at[records.n - 1];
	check_string(end, "type", "run");
	check_final(end, true);
	check_number(end, "end_ns", SAMPLE_TIME);
	check_string(end, "probe_share", "0.012300");
	check_string(end, "time", "2023-11-14T22:13:20.123456789Z");
	check_number(end, "time_ns", SAMPLE_TIME);
	assert_true(json_object_array_length(member(end, "notes")) > 3);
	free_records(&records);

	sample.run.n_hit_costs = 0;
	sample.run.probe_share = -1;
	write_run(&sample, &records, true);
	check_null(records.at[0], "hit_cost_ns");
	check_null(records.at[records.n - 1], "probe_share");
	free_records(&records);
	sample__close(&sample);
}

static void check_bucket(struct json_object *buckets, size_t i, __u64 lower, __u64 upper,
			 __u64 count)
{
	struct json_object *bucket = json_object_array_get_idx(buckets, i);

	assert_int_equal(json_object_array_length(bucket), 3);
	assert_true(json_object_get_uint64(json_object_array_get_idx(bucket, 0)) == lower);
	assert_true(json_object_get_uint64(json_object_array_get_idx(bucket, 1)) == upper);
	assert_true(json_object_get_uint64(json_object_array_get_idx(bucket, 2)) == count);
}

static void test_functions(void **state)
{
	struct sample sample;
	struct records records;
	struct json_object *r;

	(void)state;
	sample__open(&sample);
	sample__fill(&sample, 1001);
	write_run(&sample, &records, true);

	r = find(&records, "function", "mstro", "mstro_cdo_offer");
	check_string(r, "cgroup", "/slurm/job_1");
	check_number(r, "count", 12);
	check_number(r, "errors", 0);
	check_number(r, "bytes", 12 * 4 << 20);
	check_number(r, "total_ns", 2100 * MS);
	check_number(r, "self_ns", 210 * MS);
	check_number(r, "wait_ns", 1260 * MS);
	check_number(r, "block_ns", 630 * MS);
	check_number(r, "min_ns", 150 * MS);
	check_number(r, "max_ns", 450 * MS);
	check_number(r, "p999_ns", 450 * MS);
	check_number(r, "in_flight", 1);
	check_string(r, "scheme", "loglinear8");
	assert_int_equal(json_object_array_length(member(r, "buckets")), 2);
	check_bucket(member(r, "size_buckets"), 0, (4 << 20) - (256 << 10) + 1, 4 << 20, 12);
	check_final(r, true);
	assert_false(json_object_object_get_ex(r, "interval", NULL));

	r = find(&records, "function", "mstro", "mstro_cdo_declaration_seal");
	check_number(r, "errors", 2);
	check_number(r, "errors_by.code:17", 1);
	check_number(r, "errors_by.other", 1);
	check_null(r, "bytes"); /* it has no size */
	check_null(r, "size_buckets");

	r = find(&records, "function", "mio", "mio_op_wait");
	check_number(r, "errors_by.ETIMEDOUT", 1);

	r = find(&records, "function", "mio", "mio_thread_init"); /* only counted */
	check_number(r, "count", 4);
	check_null(r, "total_ns");
	check_null(r, "self_ns");
	check_null(r, "wait_ns");
	check_null(r, "min_ns");
	check_null(r, "p50_ns");
	check_null(r, "buckets");
	free_records(&records);
	sample__close(&sample);
}

static void test_files_and_devices(void **state)
{
	struct sample sample;
	struct records records;
	struct json_object *r;

	(void)state;
	sample__open(&sample);
	sample__fill(&sample, 77);
	write_run(&sample, &records, true);

	r = find(&records, "function", "vfs", "read");
	check_null(r, "cgroup"); /* 77 has no name */
	check_number(r, "cgroup_id", 77);
	check_string(r, "fs_type", "ext4");
	check_string(r, "mount", "/data/pro" UTF8_REPLACEMENT "ject");
	check_string(r, "where", "0x1e00800001");
	check_number(r, "retries", 3);
	check_number(r, "block_ns", 90 * MS);
	check_null(r, "wait_ns");
	check_number(r, "bytes", 5000 * 4096 + (12 << 20));

	r = find(&records, "function", "vfs", "open");
	check_null(r, "where");
	check_null(r, "fs_type");
	check_null(r, "mount");
	check_null(r, "bytes");
	check_number(r, "errors_by.ENOENT", 7);

	r = find(&records, "function", "vfs", "mmap"); /* its mount is gone */
	check_string(r, "fs_type", "xfs");
	check_null(r, "mount");

	r = find(&records, "device", "block", "read");
	check_string(r, "device", "sda");
	check_number(r, "queue_ns", 3 * MS);
	check_number(r, "total_ns", 96 * 900000);
	assert_false(json_object_get_boolean(member(r, "writeback")));
	assert_false(json_object_get_boolean(member(r, "metadata")));
	r = find(&records, "device", "block", "write");
	check_string(r, "device", "sda"); /* the label was cut */
	assert_true(json_object_get_boolean(member(r, "writeback")));
	assert_true(json_object_get_boolean(member(r, "metadata")));
	free_records(&records);
	sample__close(&sample);
}

static void test_unknown_times_are_null(void **state)
{
	struct sample sample;
	struct records records;
	struct json_object *r;

	(void)state;
	sample__open(&sample);
	sample.run.times_known = 1 << TM_TIME_NET;
	sample__fill(&sample, 1001);
	write_run(&sample, &records, true);
	r = find(&records, "function", "mstro", "mstro_cdo_offer");
	check_null(r, "vfs_ns");
	check_null(r, "syscall_ns");
	check_null(r, "block_ns");
	check_number(r, "net_ns", 84 * MS);
	check_number(r, "total_ns", 2100 * MS);
	free_records(&records);
	sample__close(&sample);
}

static void test_probes_and_losses(void **state)
{
	struct sample sample;
	struct records records;
	struct json_object *r;

	(void)state;
	sample__open(&sample);
	sample__fill(&sample, 1001);
	probe_table__set_state(sample.probes, TM_PROBE_VFS + TM_VFS_RENAME, PROBE_OFF, NULL);
	write_run(&sample, &records, true);
	/* All but that one, and the number that no function has. */
	assert_int_equal(count_type(&records, "probe"), probe_table__n(sample.probes) - 2);

	r = find(&records, "probe", "mstro", "mstro_cdo_offer");
	check_string(r, "library", "/opt/lib/libmaestro.so.0");
	check_string(r, "site", "0x1f40");
	check_string(r, "mechanism", "uprobe_multi");
	check_string(r, "state", "armed");
	check_string(r, "entry", "moved");
	check_number(r, "moved_bytes", 4);
	check_number(r, "hits", 25);
	check_number(r, "recorded", 12);
	check_number(r, "filtered", 0);
	check_number(r, "lost", 12);
	check_number(r, "in_flight", 1);
	check_null(r, "reason");

	r = find(&records, "probe", "mstro", "mstro_cdo_dispose");
	check_string(r, "state", "failed");
	check_string(r, "reason", "the entry could not be read");
	check_null(r, "entry");
	r = find(&records, "probe", "vfs", "read");
	check_null(r, "library");
	check_null(r, "site");
	check_number(r, "filtered", 88);

	assert_int_equal(count_type(&records, "loss"), 1);
	r = find(&records, "loss", "mstro", "mstro_cdo_offer");
	check_string(r, "reason", "foreign_stack");
	check_number(r, "count", 12);
	free_records(&records);
	sample__close(&sample);
}

static void test_intervals(void **state)
{
	struct sample sample;
	struct records records;
	struct merge merge;
	struct json_object *r;

	(void)state;
	sample__open(&sample);
	sample__fill(&sample, 1001);
	sample.snapshot.before_ns = SAMPLE_TIME - 1000 * MS;
	sample__rest(&sample);
	sample__begin(&sample, &merge, 1001, TM_LAYER_VFS, "read");
	sample__calls(&merge, 4990, 2100, 4096);
	sample__calls(&merge, 12, 8 * MS, 1 << 20);
	sample.before[0] = merge__finish(&merge);
	write_run(&sample, &records, false);
	assert_int_equal(count_type(&records, "function"), 1);
	assert_int_equal(count_type(&records, "device"), 0);
	assert_int_equal(count_type(&records, "probe"), 0);
	r = find(&records, "function", "vfs", "read");
	check_final(r, false);
	check_number(r, "count", 5012);
	check_number(r, "max_ns", 8 * MS);
	check_number(r, "interval.start_ns", SAMPLE_TIME - 1000 * MS);
	check_number(r, "interval.end_ns", SAMPLE_TIME);
	check_number(r, "interval.count", 10);
	check_number(r, "interval.errors", 0);
	check_number(r, "interval.bytes", 40960);
	assert_int_equal(tm_bucket_of(json_object_get_uint64(member(r, "interval.max_ns"))),
			 tm_bucket_of(2100));
	free_records(&records);

	write_run(&sample, &records, true); /* the last one has both */
	r = find(&records, "function", "vfs", "read");
	check_number(r, "interval.count", 10);
	r = find(&records, "function", "mio", "mio_op_wait");
	check_number(r, "interval.count", 0);
	check_null(r, "interval.p99_ns");
	free_records(&records);
	sample__close(&sample);
}

static void test_unused_series_are_left_out(void **state)
{
	struct sample sample;
	struct records records;
	struct merge merge;

	(void)state;
	sample__open(&sample);
	sample__begin(&sample, &merge, 1, LAYER_MIO, "mio_op_wait");
	sample__add(&sample, &merge);
	merge.total.key.job = 2;
	merge.total.in_flight = 1;
	sample__add(&sample, &merge);
	write_run(&sample, &records, true);
	assert_int_equal(count_type(&records, "function"), 1);
	check_null(find(&records, "function", "mio", "mio_op_wait"), "min_ns");
	free_records(&records);
	sample__close(&sample);
}

static void test_large_numbers(void **state)
{
	struct sample sample;
	struct records records;
	struct merge merge;
	struct json_object *r;

	(void)state;
	sample__open(&sample);
	sample__begin(&sample, &merge, TM_ENV_JOB_BIT - 1, LAYER_MIO, "mio_op_wait");
	merge.total.count = 1;
	merge.total.min_ns = merge.total.max_ns = ~0ULL - 2;
	merge.total.total_ns = ~0ULL - 2;
	merge.total.errors = (1ULL << 53) + 1;
	merge.latency[TM_BUCKETS - 1] = 1;
	sample__add(&sample, &merge);
	write_run(&sample, &records, true);
	r = find(&records, "function", "mio", "mio_op_wait");
	check_number(r, "cgroup_id", TM_ENV_JOB_BIT - 1);
	check_number(r, "total_ns", ~0ULL - 2);
	check_number(r, "p50_ns", ~0ULL - 2);
	check_number(r, "errors", (1ULL << 53) + 1);
	check_bucket(member(r, "buckets"), 0, (1ULL << 42) - (1ULL << 38) + 1, ~0ULL, 1);
	free_records(&records);
	sample__close(&sample);
}

/* Each layer once, with all of its mechanisms. */
static void test_mechanisms(void **state)
{
	static const struct report_mechanism mechanisms[] = {
		{ "vfs", "tp_btf" },
		{ "block", "raw_tp" },
		{ "vfs", "fentry" },
	};
	struct sample sample;
	struct records records = { 0 };
	struct json_object *start;

	(void)state;
	sample__open(&sample);
	sample__fill(&sample, 1001);
	sample.run.mechanisms = mechanisms;
	sample.run.n_mechanisms = 3;
	sample.run.hit_costs = NULL;
	sample.run.n_hit_costs = 0;
	write_run(&sample, &records, true);
	start = records.at[0];
	assert_string_equal(
		json_object_to_json_string_ext(member(start, "layers"), JSON_C_TO_STRING_PLAIN),
		"[\"vfs\",\"block\"]");
	assert_string_equal(
		json_object_to_json_string_ext(member(start, "mechanisms"), JSON_C_TO_STRING_PLAIN),
		"{\"vfs\":\"tp_btf+fentry\",\"block\":\"raw_tp\"}");
	check_null(start, "hit_cost_ns");
	check_null(start, "hit_counted_ns");
	free_records(&records);
	sample__close(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mechanisms),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_record),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_files_and_devices),
		cmocka_unit_test(test_unknown_times_are_null),
		cmocka_unit_test(test_probes_and_losses),
		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_unused_series_are_left_out),
		cmocka_unit_test(test_large_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
