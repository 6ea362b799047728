// SPDX-License-Identifier: GPL-2.0-only
/* What stands beside calls in records and tables: by the size of their object, and associations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "json_records.h"
#include "report/layer_sum.h"
#include "sample_table.h"

static void add(struct sample *sample, __u64 class, __u64 count, __u64 ns, __u64 bytes)
{
	struct merge merge;

	sample__begin(sample, &merge, 1001, LAYER_MSTRO, "mstro_cdo_demand");
	merge.total.key.flags = TM_KEY_BY_SIZE;
	merge.total.key.where = class;
	sample__calls(&merge, count, ns, bytes);
	merge.total.self_ns = 0;
	sample__add(sample, &merge);
}

/* Twelve calls, of which ten are known by the size of their object. */
static void fill(struct sample *sample)
{
	struct merge merge;

	sample__begin(sample, &merge, 1001, LAYER_MSTRO, "mstro_cdo_demand");
	sample__calls(&merge, 12, 2 * MS, 0);
	sample__add(sample, &merge);
	add(sample, 0, 4, 1 * MS, 100);
	add(sample, 4, 6, 2 * MS, 1000000);
	add(sample, TM_OBJECT_SIZES, 2, 4 * MS, 0);
	sample__begin(sample, &merge, 1001, LAYER_MSTRO, "mstro_init");
	merge.total.key.flags = TM_KEY_ASSOCIATION;
	sample__calls(&merge, 3, 5000 * MS, 0);
	merge.total.in_flight = 1;
	sample__add(sample, &merge);
}

static void test_record(void **state)
{
	struct sample sample;
	struct records records;
	struct json_object *record;

	(void)state;
	sample__open(&sample);
	fill(&sample);
	write_run(&sample, &records, true);
	check_number(find(&records, "function", "mstro", "mstro_cdo_demand"), "count", 12);
	record = find(&records, "by_size", "mstro", "mstro_cdo_demand");
	check_number(record, "count", 4);
	check_number(record, "total_ns", 4 * MS);
	check_number(record, "bytes", 400);
	assert_string_equal(
		json_object_to_json_string(json_object_object_get(record, "size_class")),
		"[ 0, 100 ]");
	assert_false(json_object_object_get_ex(record, "self_ns", NULL));
	assert_false(json_object_object_get_ex(record, "errors", NULL));
	record = find(&records, "association", "mstro", "mstro_init");
	check_number(record, "count", 3);
	check_number(record, "in_flight", 1);
	check_number(record, "total_ns", 15000 * MS);
	assert_false(json_object_object_get_ex(record, "errors", NULL));
	free_records(&records);
	sample__close(&sample);
}

static void test_table(void **state)
{
	struct layer_sum sum;
	struct sample sample;
	char *text;

	(void)state;
	sample__open(&sample);
	fill(&sample);
	layer_sum__make(&sum, &sample.snapshot, 0, sample.snapshot.n_series, LAYER_MSTRO);
	assert_int_equal(sum.figures.count, 12);
	text = sample__tables(&sample);
	expect_text(text, "mstro: 12 calls\n");
	expect_text(text, "mstro: 12 calls by the size of their object\n");
	expect_text(text, "up to 100 B");
	expect_text(text, "up to 1 MiB");
	expect_text(text, "not known");
	expect_text(text, "mstro: 3 associations\n");
	expect_text(text, "joined by");
	free(text);
	sample__close(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record),
		cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
