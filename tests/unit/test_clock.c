// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/clock.h"

#define DAY "%Y-%m-%d %H:%M:%S"

static void test_now(void **state)
{
	__u64 before = (__u64)time(NULL), now = clock__ns(CLOCK_REALTIME);
	__u64 first = clock__ns(CLOCK_MONOTONIC), second = clock__ns(CLOCK_MONOTONIC);

	(void)state;
	/* time() may lag behind by a tick, and the clock may be set meanwhile, though not by much.
	 */
	assert_in_range(now / NS_PER_S, before, before + 60);
	assert_true(second >= first);
}

static void test_utc(void **state)
{
	char text[32];

	(void)state;
	assert_string_equal(clock__utc(text, sizeof(text), 0, DAY), "1970-01-01 00:00:00");
	assert_string_equal(clock__utc(text, sizeof(text), 1700000000 * NS_PER_S + 999999999, DAY),
			    "2023-11-14 22:13:20");
	/* As much as 64 bits hold. */
	assert_string_equal(clock__utc(text, sizeof(text), ~0ULL, DAY), "2554-07-21 23:34:33");
}

static void test_local(void **state)
{
	char text[32];

	(void)state;
	assert_int_equal(setenv("TZ", "XXX-05:30", 1), 0);
	tzset();
	assert_string_equal(clock__local(text, sizeof(text), 1700000000 * NS_PER_S, DAY),
			    "2023-11-15 03:43:20");
}

static void test_too_long(void **state)
{
	char text[8];

	(void)state;
	assert_string_equal(clock__utc(text, sizeof(text), 0, DAY), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_now),
		cmocka_unit_test(test_utc),
		cmocka_unit_test(test_local),
		cmocka_unit_test(test_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
