// SPDX-License-Identifier: GPL-2.0-only
/* What is written whatever comes in: hostile strings, and files that cannot be written. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/utf8.h"
#include "json_records.h"

static void test_hostile_strings(void **state)
{
	static char *argv[] = { "a\"b\\c\n\r\t\x01\x7f", "\xff\xfe", "\xed\xa0\x80", "\xc3", "",
				"</script>\xe2\x80\xa8", NULL };
	struct json_object *given;
	struct sample sample;
	struct records records;

	(void)state;
	sample__open(&sample);
	sample.run.argv = argv;
	sample.run.scope = "\xf4\x90\x80\x80 line\nbreak";
	write_run(&sample, &records, true);
	given = member(records.at[0], "argv");
#define ARG(i) json_object_get_string(json_object_array_get_idx(given, i))
	assert_string_equal(ARG(0), argv[0]);
	assert_string_equal(ARG(1), UTF8_REPLACEMENT UTF8_REPLACEMENT);
	assert_string_equal(ARG(2), UTF8_REPLACEMENT UTF8_REPLACEMENT UTF8_REPLACEMENT);
	assert_string_equal(ARG(3), UTF8_REPLACEMENT);
	assert_string_equal(ARG(4), "");
	assert_string_equal(ARG(5), argv[5]);
	free_records(&records);
	sample__close(&sample);
}

static void check_clean(const char *text, const char *expected)
{
	char *clean = utf8__clean(text);

	assert_non_null(clean);
	assert_string_equal(clean, expected);
	assert_int_equal(utf8__is_clean(text), !strcmp(text, expected));
	free(clean);
}

static void test_utf8(void **state)
{
	const char *fine = "a\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf"
			   "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf";

	(void)state;
	check_clean("", "");
	check_clean(fine, fine);
	check_clean("\xc0\xaf", UTF8_REPLACEMENT UTF8_REPLACEMENT); /* overlong */
	check_clean("\xe0\x9f\xbf",
		    UTF8_REPLACEMENT UTF8_REPLACEMENT UTF8_REPLACEMENT); /* overlong */
	check_clean("\x80", UTF8_REPLACEMENT);
	check_clean("\xe2\x82", UTF8_REPLACEMENT); /* cut: one character is lost */
	check_clean("\xf0\x9f\x98z", UTF8_REPLACEMENT "z");
	check_clean("\xf5\x80", UTF8_REPLACEMENT UTF8_REPLACEMENT);
}

static void test_full_disk(void **state)
{
	struct sample sample;
	struct record_sink *sink;
	struct error err;
	FILE *file;

	(void)state;
	sample__open(&sample);
	sample__fill(&sample, 1001);
	file = fopen("/dev/full", "w");
	assert_non_null(file);
	assert_int_equal(sink_json__new(&sink, file, "/dev/full", &sample.run, &err), 0);
	assert_int_equal(SINK_CALL(&sink->sink, start, &err), -ENOSPC);
	assert_int_equal(err.code, -ENOSPC);
	assert_non_null(strstr(err.text, "/dev/full: No space left on device: 1 record lost"));
	assert_int_equal(SINK_CALL(&sink->sink, snapshot, &sample.snapshot, true, &err), -ENOSPC);
	assert_int_equal(SINK_CALL(&sink->sink, close, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "records lost after 0 written"));
	fclose(file);
	sample__close(&sample);
}

static void test_closed_pipe(void **state)
{
	struct sample sample;
	struct record_sink *sink;
	struct error err;
	int ends[2];
	FILE *file;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	sample__open(&sample);
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	file = fdopen(ends[1], "w");
	assert_non_null(file);
	assert_int_equal(sink_json__new(&sink, file, "standard output", &sample.run, &err), 0);
	assert_int_equal(SINK_CALL(&sink->sink, start, &err), -EPIPE);
	assert_non_null(strstr(err.text, "standard output: Broken pipe"));
	assert_int_equal(SINK_CALL(&sink->sink, close, &err), -EPIPE);
	fclose(file);
	sample__close(&sample);
}

/* A file that cannot grow further keeps whole lines only. */
static void test_no_half_lines(void **state)
{
	struct rlimit limit, old;
	struct sample sample;
	struct records records;
	struct record_sink *sink;
	FILE *file = tmpfile();
	struct error err;

	(void)state;
	assert_non_null(file);
	signal(SIGXFSZ, SIG_IGN);
	sample__open(&sample);
	sample__fill(&sample, 1001);
	assert_int_equal(sink_json__new(&sink, file, "records", &sample.run, &err), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = 3000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(SINK_CALL(&sink->sink, snapshot, &sample.snapshot, true, &err), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(SINK_CALL(&sink->sink, end, NULL, &err),
			 0); /* goes on where there is room */
	assert_int_equal(SINK_CALL(&sink->sink, close, &err), -EFBIG);
	read_records(&records, file);
	assert_true(records.n > 1);
	if (records.n > 1) /* for the analyzer, to which a failed assertion returns */
		check_string(records.at[records.n - 1], "type", "run");
	free_records(&records);
	fclose(file);
	sample__close(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hostile_strings), cmocka_unit_test(test_utf8),
		cmocka_unit_test(test_full_disk),	cmocka_unit_test(test_closed_pipe),
		cmocka_unit_test(test_no_half_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
