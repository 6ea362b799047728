// SPDX-License-Identifier: GPL-2.0-only
/* Outputs that fail: when they are tried again, and what is said of them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "sink/output_state.h"
#include "sink/record_text.h"

static const struct output_kind kind = { "log", "records", "sums are complete", "begin it" };
static const struct error gone = { .code = -ECONNREFUSED, .text = "/dev/log: nobody" };

static void test_pauses(void **unused)
{
	struct output_state state = { 0 };
	__u64 now = 1000 * NS_PER_S, pause = NS_PER_S;

	(void)unused;
	assert_true(output_state__is_due(&state, 0));
	for (int i = 0; i < 12; i++) {
		output_state__fail(&state, &gone, now);
		assert_true(state.fails);
		assert_int_equal(state.pause_ns, pause);
		assert_false(output_state__is_due(&state, now + pause - 1));
		assert_true(output_state__is_due(&state, now + pause));
		now += pause;
		pause = pause * 2 < 300 * NS_PER_S ? pause * 2 : 300 * NS_PER_S;
	}
	assert_int_equal(pause, 300 * NS_PER_S);
	assert_int_equal(state.failures, 1);
	assert_int_equal(state.tries, 12);
	assert_int_equal(output_state__failed_ns(&state, now), now - 1000 * NS_PER_S);
	output_state__hurry(&state);
	assert_true(output_state__is_due(&state, now));
}

/* One that comes and goes is not tried each second; one that worked for long is, again. */
static void test_flapping(void **unused)
{
	struct output_state state = { 0 };
	__u64 now = NS_PER_S;

	(void)unused;
	for (int i = 0; i < 4; i++) {
		output_state__fail(&state, &gone, now);
		now += state.pause_ns;
		output_state__work(&state, now);
		assert_false(state.fails);
		output_state__work(&state, now); /* says nothing */
	}
	assert_int_equal(state.pause_ns, 8 * NS_PER_S);
	assert_int_equal(state.failures, 4);
	assert_int_equal(output_state__failed_ns(&state, now), 15 * NS_PER_S);
	now += 8 * NS_PER_S;
	output_state__fail(&state, &gone, now);
	assert_int_equal(state.pause_ns, NS_PER_S);
}

/* What standard error gets between these two. */
static FILE *before;
static char *said;
static size_t n_said;

static void begin_said(void)
{
	before = stderr;
	stderr = open_memstream(&said, &n_said);
	assert_non_null(stderr);
}

static void end_said(const char *wanted)
{
	fclose(stderr);
	stderr = before;
	assert_string_equal(said, wanted);
	free(said);
}

/* Once when it begins, once when it ends. */
static void test_notes(void **unused)
{
	struct output_state state = { .kind = &kind };
	__u64 now = 5 * NS_PER_S;

	(void)unused;
	begin_said();
	output_state__fail(&state, &gone, now);
	output_state__fail(&state, &gone, now + NS_PER_S);
	end_said("tmtrace: log fails: /dev/log: nobody; begin it; it is tried again in 1.00 s, "
		 "then less often\n");
	state.lost = 3;
	begin_said();
	output_state__work(&state, now + 3 * NS_PER_S);
	output_state__work(&state, now + 4 * NS_PER_S);
	end_said("tmtrace: log works again, after 3.00 s: sums are complete; 3 records are lost "
		 "since the start\n");
}

static void check_remedy(int code, const char *text, const char *wanted)
{
	struct output_state state = { .kind = &kind };
	const char *got;

	error__set(&state.reason, code, "%s", text);
	got = output_state__remedy(&state);
	if (wanted)
		assert_string_equal(got, wanted);
	else
		assert_null(got);
}

static void test_remedies(void **unused)
{
	(void)unused;
	check_remedy(-ENOSPC, "full", "free space there, or choose another place");
	check_remedy(-ENOSPC, "too small; 8 MiB would do", NULL);
	check_remedy(-EROFS, "read-only",
		     "mount that file system for writing, or choose another place");
	check_remedy(-EACCES, "no", "let root write there, or choose another place");
	check_remedy(-ENOENT, "no", "begin it");
	check_remedy(-EIO, "no", NULL);
}

static void test_json(void **unused)
{
	struct output_state state = { .kind = &kind };
	struct record_text text = record_text__new(NULL);

	(void)unused;
	record__open(&text.record, NULL);
	output_state__add(&state, &text.record, NS_PER_S, 100 * NS_PER_S);
	record__close(&text.record);
	assert_int_equal(record_text__add_bytes(&text, "", 1), 0);
	assert_string_equal(text.bytes,
			    "{\"log\":{\"state\":\"works\",\"failures\":0,\"failed_tries\":0,"
			    "\"failed_ns\":0,\"lost\":0,\"lost_are\":\"records\"}}");
	begin_said();
	output_state__fail(&state, &gone, NS_PER_S);
	fclose(stderr);
	stderr = before;
	free(said);
	text.n = 0;
	record__open(&text.record, NULL);
	output_state__add(&state, &text.record, NS_PER_S + NS_PER_S / 4, 100 * NS_PER_S);
	record__close(&text.record);
	assert_int_equal(record_text__add_bytes(&text, "", 1), 0);
	assert_string_equal(text.bytes,
			    "{\"log\":{\"state\":\"fails\",\"failures\":1,\"failed_tries\":1,"
			    "\"failed_ns\":250000000,"
			    "\"lost\":0,\"lost_are\":\"records\",\"since_ns\":99750000000,"
			    "\"reason\":\"/dev/log: nobody\",\"remedy\":\"begin it\","
			    "\"next_try_ns\":750000000}}");
	free(text.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pauses), cmocka_unit_test(test_flapping),
		cmocka_unit_test(test_notes),  cmocka_unit_test(test_remedies),
		cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
