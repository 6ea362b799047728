// SPDX-License-Identifier: GPL-2.0-only
/* ADDB2 records on their way: from the ring buffer's bytes, through filters, and MIO's inside. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "addb/event.h"
#include "addb/filter.h"
#include "addb/packed.h"

/* An event with two labels, of one word and of none. */
struct sample_event {
	struct tm_addb_event event;
	__u64 labels[3];
};

static const struct sample_event sample = {
	.event = { .time_ns = 1000,
		   .job = 7,
		   .id = 0x2006,
		   .pid = 11,
		   .tid = 12,
		   .bytes = 24,
		   .role = TM_ADDB_CONSUME,
		   .n = 3,
		   .n_labels = 2,
		   .unreadable = 1,
		   .words = { 1, 2, 3 } },
	.labels = { 0x1002 | 1ULL << TM_ADDB_ID_BITS, 1574, 0x210f },
};

static void test_event(void **state)
{
	struct sample_event event = sample;
	static struct addb_record record;
	struct addb_origin origin;

	(void)state;
	assert_int_equal(addb_event__read(&record, &origin, &event, sizeof(event), 500), 0);
	assert_int_equal(record.value.id, 0x2006);
	assert_int_equal(record.value.time_ns, 1500);
	assert_int_equal(record.value.n, 3);
	assert_int_equal(record.value.words[2], 3);
	assert_int_equal(record.n_labels, 2);
	assert_int_equal(record.labels[0].id, 0x1002);
	assert_int_equal(record.labels[0].words[0], 1574);
	assert_int_equal(record.labels[1].n, 0);
	assert_int_equal(origin.job, 7);
	assert_int_equal(origin.pid, 11);
	assert_int_equal(origin.tid, 12);
	assert_int_equal(origin.unreadable, 1);
	event.event.stamp_ns = 99; /* its own time wins */
	assert_int_equal(addb_event__read(&record, &origin, &event, sizeof(event), 500), 0);
	assert_int_equal(record.value.time_ns, 99);
}

static void test_bad_events(void **state)
{
	static struct addb_record record;
	struct addb_origin origin;
	struct sample_event event;

	(void)state;
	for (size_t size = 0; size < sizeof(event); size++)
		assert_int_equal(addb_event__read(&record, &origin, &sample, size, 0), -EBADMSG);
	event = sample;
	event.event.n = TM_ADDB_WORDS + 1;
	assert_int_equal(addb_event__read(&record, &origin, &event, sizeof(event), 0), -EBADMSG);
	event = sample;
	event.event.n_labels = TM_ADDB_LABELS + 1;
	assert_int_equal(addb_event__read(&record, &origin, &event, sizeof(event), 0), -EBADMSG);
	event = sample;
	event.event.n_labels = 3; /* more than there are */
	assert_int_equal(addb_event__read(&record, &origin, &event, sizeof(event), 0), -EBADMSG);
	event = sample;
	event.labels[2] |= 15ULL << TM_ADDB_ID_BITS;
	assert_int_equal(addb_event__read(&record, &origin, &event, sizeof(event), 0), -EBADMSG);
}

static void test_filter(void **state)
{
	struct addb_record record = {
		.n_labels = 2,
		.labels = { { .id = 0x1002, .n = 1, .words = { 1574 } }, { .id = 0x210f } },
	};
	struct tm_addb_config config = { 0 };
	struct addb_filter *filter;
	struct error err;

	(void)state;
	assert_int_equal(addb_filter__parse(&filter, "fom-state,0x8005,100-0x200", &err), 0);
	addb_filter__configure(filter, &config);
	assert_int_equal(config.n_ranges, 3);
	assert_int_equal(config.ranges[0].first, 0x2006);
	assert_int_equal(config.ranges[0].last, 0x2006);
	assert_int_equal(config.ranges[1].first, 0x8005);
	assert_int_equal(config.ranges[2].first, 100);
	assert_int_equal(config.ranges[2].last, 0x200);
	assert_true(addb_filter__wants(filter, &record));
	addb_filter__free(filter);

	assert_int_equal(addb_filter__parse(&filter, "label:pid=1574,label:ast", &err), 0);
	addb_filter__configure(filter, &config);
	assert_int_equal(config.n_ranges, 0);
	assert_true(addb_filter__wants(filter, &record));
	record.labels[0].words[0] = 1575;
	assert_false(addb_filter__wants(filter, &record));
	record.n_labels = 0;
	assert_false(addb_filter__wants(filter, &record));
	addb_filter__free(filter);

	assert_int_equal(addb_filter__parse(&filter, NULL, &err), 0);
	assert_true(addb_filter__wants(filter, &record));
	addb_filter__free(filter);
}

static void test_bad_filters(void **state)
{
	static const struct {
		const char *text, *reason;
	} bad[] = {
		{ "no-such", "no-such: no ADDB2 record is called so" },
		{ "9-3", "9-3: not a range" },
		{ "1-0x100000000", "not a range" },
		{ "1-", ": no ADDB2 record" },
		{ "label:", ": no ADDB2 record" },
		{ "label:pid=x", "label:pid=x: not a number" },
		{ "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", "17: more than 16" },
		{ "0xfffffffffffffffff", "no ADDB2 record is called so" },
	};
	struct addb_filter *filter;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(addb_filter__parse(&filter, bad[i].text, &err), -EINVAL);
		assert_non_null(strstr(err.text, bad[i].reason));
	}
}

/* Bytes as words, as MIO passes them. */
static struct addb_value words_of(const void *bytes, size_t n)
{
	struct addb_value value = { .id = 0x30000, .n = (unsigned int)((n + 7) / 8) };

	memcpy(value.words, bytes, n);
	return value;
}

static void test_packed(void **state)
{
	static const char number[] = "\x2e\x20\x01\x02mp\x03top\x03\x78\x56\x34\x12";
	static const char text[] = "\x2e\x20\x00\x01t\x07\x05hello";
	static const char array[] = "\x2e\x20\x00\x01t\x08\x03\x01\x00\x02\x00\x03\x01";
	struct addb_packed packed;
	struct addb_value value;

	(void)state;
	value = words_of(number, sizeof(number) - 1);
	assert_int_equal(addb_packed__read(&packed, &value), 0);
	assert_string_equal(packed.prefix, "mp");
	assert_string_equal(packed.topic, "top");
	assert_string_equal(addb_packed__type(packed.type), "u32");
	assert_int_equal(packed.n, 1);
	assert_int_equal(packed.numbers[0], 0x12345678);
	value = words_of(text, sizeof(text) - 1);
	assert_int_equal(addb_packed__read(&packed, &value), 0);
	assert_string_equal(packed.prefix, "");
	assert_string_equal(packed.string, "hello");
	assert_int_equal(packed.n, 0);
	value = words_of(array, sizeof(array) - 1);
	assert_int_equal(addb_packed__read(&packed, &value), 0);
	assert_int_equal(packed.n, 3);
	assert_int_equal(packed.numbers[2], 0x103);
}

static void test_bad_packed(void **state)
{
	static const char *const bad[] = {
		"\x2f\x20\x00\x01t\x01", /* another magic number */
		"\x2e\x20\x00\x01t\x0b", /* no such type */
		"\x2e\x20\x00\x7ft\x01", /* a longer topic than there are bytes */
		"\x2e\x20\x01\x7ft\x01", "\x2e\x20\x00\x01t\x08\x7f",
	};
	struct addb_packed packed;
	struct addb_value value;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		value = words_of(bad[i], 7);
		assert_int_equal(addb_packed__read(&packed, &value), -EBADMSG);
	}
	value = words_of(bad[0], 0);
	assert_int_equal(addb_packed__read(&packed, &value), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_event),  cmocka_unit_test(test_bad_events),
		cmocka_unit_test(test_filter), cmocka_unit_test(test_bad_filters),
		cmocka_unit_test(test_packed), cmocka_unit_test(test_bad_packed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
