// SPDX-License-Identifier: GPL-2.0-only
/* Sums over ADDB2 records: which are asked for, what they are called, in records and tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "addb/sums.h"
#include "json_records.h"
#include "report/layer_sum.h"
#include "sample_table.h"

static const struct addb_summed *find_summed(const struct addb_summed *all, size_t n, __u32 id)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].id == id)
			return &all[i];
	fail_msg("nothing is asked for of 0x%x", id);
	return NULL;
}

static void check_machine(const struct addb_summed *all, size_t n, __u32 id, __u64 initial,
			  __u64 terminal, bool by_fom)
{
	const struct tm_addb_summed *how = &find_summed(all, n, id)->how;

	assert_int_equal(how->initial, initial);
	assert_int_equal(how->terminal, terminal);
	assert_int_equal(how->by_fom, by_fom);
}

static void test_asked_for(void **state)
{
	struct addb_summed all[TM_ADDB_SUMMED];
	size_t n = addb_sums__list(all), machines = 0;

	(void)state;
	assert_in_range(n, 30, TM_ADDB_SUMMED - 1);
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(all[i].id, all[j].id);
		if (all[i].how.summing == TM_ADDB_SUM_STATES ||
		    all[i].how.summing == TM_ADDB_SUM_STEPS) {
			machines++;
			assert_int_not_equal(all[i].how.initial, 0);
			assert_int_not_equal(all[i].how.terminal, 0);
			assert_int_equal(all[i].how.initial & all[i].how.terminal, 0);
		}
		for (unsigned int j = 0; j < all[i].how.n_numbers; j++)
			assert_true(all[i].how.numbers[j].time < TM_ADDB_WORDS ||
				    all[i].how.numbers[j].size < TM_ADDB_WORDS);
		/* What an attribute is the size of is followed. */
		if (all[i].how.machine)
			find_summed(all, n, all[i].how.machine);
	}
	assert_int_equal(machines, 14);
	check_machine(all, n, 0x2005, 1 << 0, 1 << 1, true);
	check_machine(all, n, 0x2006, 1 << 0, 1 << 4, true);
	check_machine(all, n, 0x8003, 1 << 1, 1 << 0, false);
	check_machine(all, n, 0xa001, 1 << 2, 1 << 1 | 1 << 9, false);
	check_machine(all, n, 0xd001, 1 << 1, 1 << 4 | 1 << 5, false);
}

static void check_names(__u64 where, const char *record, const char *fom, const char *what,
			enum addb_sum_kind kind)
{
	char text[128];
	const char *got;

	assert_string_equal(addb_sum__record(where, text, sizeof(text)), record);
	got = addb_sum__fom(where, text, sizeof(text));
	assert_true(fom ? got && !strcmp(got, fom) : !got);
	got = addb_sum__what(where, text, sizeof(text));
	assert_true(what ? got && !strcmp(got, what) : !got);
	assert_int_equal(addb_sum__kind(where), kind);
}

static void test_names(void **state)
{
	(void)state;
	check_names(TM_ADDB_WHERE(0x2006, 42, 3), "fom-state", "write", "Waiting", ADDB_SUM_STATE);
	check_names(TM_ADDB_WHERE(0x2006, 999, 60), "fom-state", "999", "60", ADDB_SUM_STATE);
	check_names(TM_ADDB_WHERE(0x2006, 0, TM_ADDB_WHOLE), "fom-state", NULL, NULL,
		    ADDB_SUM_STATE);
	check_names(TM_ADDB_WHERE(0x2006, 0, TM_ADDB_STATE_OTHER), "fom-state", NULL, "other",
		    ADDB_SUM_STATE);
	check_names(TM_ADDB_WHERE(0x2005, 42, 14), "fom-phase", "write", "tx_wait", ADDB_SUM_STATE);
	check_names(TM_ADDB_WHERE(0x2005, 0, 14), "fom-phase", NULL, "tx_wait", ADDB_SUM_STATE);
	check_names(TM_ADDB_WHERE(0x7009, 0, 10), "stio-req-state", NULL, "M0_AVI_LIO_ENDIO",
		    ADDB_SUM_STATE);
	check_names(TM_ADDB_WHERE(0x7003, 0, TM_ADDB_WORD + 2), "stob-io-end", NULL, "duration",
		    ADDB_SUM_BYTES);
	check_names(TM_ADDB_WHERE(0x700c, 0, TM_ADDB_WORD + 2), "M0_AVI_STOB_IO_ATTR_UVEC_BYTES",
		    NULL, "value", ADDB_SUM_BYTES);
	check_names(TM_ADDB_WHERE(0x210d, 0, TM_ADDB_WORD), "runq", NULL, "value", ADDB_SUM_NUMBER);
	/* As a damaged recording may have it. */
	check_names(TM_ADDB_WHERE(0x7003, 0, TM_ADDB_WORD + 1), "stob-io-end", NULL, "1",
		    ADDB_SUM_BYTES);
	check_names(~0ULL, "ffffffff", "65535", NULL, ADDB_SUM_STATE);
	check_names(0x4000, "null", NULL, "0", ADDB_SUM_BYTES);
}

static void add(struct sample *sample, __u64 where, __u64 count, __u64 ns, __u64 bytes)
{
	struct merge merge;

	sample__begin(sample, &merge, 1001, LAYER_MSTRO, "m0_addb2_consume");
	merge.total.key.flags = TM_KEY_ADDB;
	merge.total.key.where = where;
	sample__calls(&merge, count, ns, bytes);
	merge.total.self_ns = 0;
	sample__add(sample, &merge);
}

static void fill(struct sample *sample)
{
	struct merge merge;

	sample__begin(sample, &merge, 1001, LAYER_MSTRO, "m0_addb2_consume");
	sample__calls(&merge, 12, 2 * MS, 0);
	sample__add(sample, &merge);
	add(sample, TM_ADDB_WHERE(0x2006, 41, 3), 4, 1 * MS, 0);
	add(sample, TM_ADDB_WHERE(0x2006, 42, TM_ADDB_WHOLE), 2, 10 * MS, 1000000);
	add(sample, TM_ADDB_WHERE(0xb001, 0, TM_ADDB_WORD + 3), 8, 1 * MS, 1000);
	add(sample, TM_ADDB_WHERE(0x210d, 0, TM_ADDB_WORD), 3, 0, 7);
}

/* The only one of a type with that name. */
static struct json_object *find_named(struct records *records, const char *type, const char *name,
				      const char *fom)
{
	for (size_t i = 0; i < records->n; i++) {
		struct json_object *record = records->at[i];

		if (strcmp(json_object_get_string(member(record, "type")), type) != 0 ||
		    strcmp(json_object_get_string(member(record, "name")), name) != 0)
			continue;
		if (!fom || !strcmp(json_object_get_string(member(record, "fom")), fom))
			return record;
	}
	fail_msg("no %s of %s", type, name);
	return NULL;
}

static void test_records(void **state)
{
	struct sample sample;
	struct records records;
	struct json_object *record;

	(void)state;
	sample__open(&sample);
	fill(&sample);
	write_run(&sample, &records, true);
	record = find_named(&records, "addb_state", "fom-state", "read");
	check_string(record, "state", "Waiting");
	check_string(record, "id", "0x2006");
	check_number(record, "total_ns", 4 * MS);
	check_null(record, "bytes");
	assert_false(json_object_object_get_ex(record, "errors", NULL));
	record = find_named(&records, "addb_state", "fom-state", "write");
	check_null(record, "state");
	check_number(record, "bytes", 2000000);
	record = find_named(&records, "addb_value", "net-buf", NULL);
	check_string(record, "field", "duration");
	check_number(record, "bytes", 8000);
	check_number(record, "errors", 0);
	record = find_named(&records, "addb_value", "runq", NULL);
	check_number(record, "sum", 21);
	assert_false(json_object_object_get_ex(record, "bytes", NULL));
	free_records(&records);
	sample__close(&sample);
}

static void test_tables(void **state)
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
	expect_text(text, "mstro: how long state machines were in states\n");
	expect_text(text, "\nfom-state read  Waiting ");
	expect_text(text, "\nfom-state write begin to end ");
	expect_text(text, "95.4 MiB"); /* a second: two of 1 MB in 20 ms */
	expect_text(text, "mstro: times and sizes in records\n");
	expect_text(text, "\nnet-buf ");
	free(text);
	sample__close(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_asked_for),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
