// SPDX-License-Identifier: GPL-2.0-only
/* Asynchronous operations in records and tables. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "json_records.h"
#include "report/layer_sum.h"
#include "sample_table.h"

/* Eight operations beside the calls that launched them. */
static void fill(struct sample *sample)
{
	struct merge merge;

	sample__begin(sample, &merge, 1001, LAYER_MIO, "mio_obj_open");
	sample__calls(&merge, 10, 30000, 0);
	sample__add(sample, &merge);
	sample__begin(sample, &merge, 1001, LAYER_MIO, "mio_obj_open");
	merge.total.key.flags = TM_KEY_OPERATION;
	sample__calls(&merge, 8, 5 * MS, 0);
	merge.total.self_ns = 0;
	merge.total.in_flight = 2;
	merge.total.queue_ns = 40 * MS;
	merge.total.errors = 1;
	merge.total.error_code[0] = ENOENT;
	merge.total.error_count[0] = 1;
	merge.total.operation_ns[TM_OPERATION_SUBMIT] = 300000;
	merge.total.operation_ns[TM_OPERATION_WAIT] = 20 * MS;
	merge.total.operation_ns[TM_OPERATION_LATE] = 3 * MS;
	merge.total.operations_lost[TM_OPERATION_ABANDONED] = 4;
	merge.total.operations_lost[TM_OPERATION_FORGOTTEN] = 3;
	merge.total.operations_lost[TM_OPERATION_KILLED] = 2;
	merge.total.operations_lost[TM_OPERATION_NO_ENTRY] = 1;
	sample__add(sample, &merge);
	sample->snapshot.monotonic_ns = 100 * MS;
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
	check_number(find(&records, "function", "mio", "mio_obj_open"), "count", 10);
	record = find(&records, "op", "mio", "mio_obj_open");
	check_number(record, "count", 8);
	check_number(record, "total_ns", 40 * MS);
	check_number(record, "max_ns", 5 * MS);
	check_number(record, "in_flight", 2);
	check_number(record, "oldest_ns", 60 * MS);
	check_number(record, "submit_ns", 300000);
	check_number(record, "wait_ns", 20 * MS);
	check_number(record, "late_poll_ns", 3 * MS);
	check_number(record, "abandoned", 4);
	check_number(record, "forgotten", 3);
	check_number(record, "killed", 2);
	check_number(record, "no_entry", 1);
	check_number(record, "errors_by.ENOENT", 1);
	assert_false(json_object_object_get_ex(record, "self_ns", NULL));
	free_records(&records);
	sample__close(&sample);
}

/* None was ever complete: they are told all the same. */
static void test_never_complete(void **state)
{
	struct sample sample;
	struct records records;
	struct json_object *record;
	struct merge merge;

	(void)state;
	sample__open(&sample);
	sample__begin(&sample, &merge, 1001, LAYER_MIO, "mio_obj_open");
	merge.total.key.flags = TM_KEY_OPERATION;
	merge.total.operations_lost[TM_OPERATION_KILLED] = 2;
	sample__add(&sample, &merge);
	write_run(&sample, &records, true);
	record = find(&records, "op", "mio", "mio_obj_open");
	check_number(record, "killed", 2);
	check_null(record, "late_poll_ns");
	check_null(record, "oldest_ns");
	free_records(&records);
	sample__close(&sample);
}

static void test_table(void **state)
{
	struct sample sample;
	char *text;

	(void)state;
	sample__open(&sample);
	fill(&sample);
	text = sample__tables(&sample);
	expect_text(text, "mio: 10 calls\n");
	expect_text(text, "mio: 8 asynchronous operations\n");
	expect_text(text, "late poll");
	expect_text(text, " 3.00 ms");
	free(text);
	sample__close(&sample);
}

/* Their time is not the library's, which is that of its calls. */
static void test_layer_sum(void **state)
{
	struct sample sample;
	struct outermost_sum outermost;
	struct layer_sum sum;

	(void)state;
	sample__open(&sample);
	fill(&sample);
	layer_sum__make(&sum, &sample.snapshot, 0, sample.snapshot.n_series, LAYER_MIO);
	assert_int_equal(sum.figures.count, 10);
	assert_int_equal(sum.time_ns, 10 * 30000);
	outermost_sum__make(&outermost, &sample.snapshot, 0, sample.snapshot.n_series);
	assert_int_equal(outermost.total_ns, 10 * 30000);
	assert_int_equal(outermost.named_ns, 0);
	sample__close(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record),
		cmocka_unit_test(test_never_complete),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_layer_sum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
