// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/quantity.h"

static void check_ns(const char *text, __u64 expected)
{
	__u64 ns;

	assert_int_equal(quantity__ns(text, &ns), 0);
	assert_int_equal(ns, expected);
}

static void check_bytes(const char *text, __u64 expected)
{
	__u64 bytes;

	assert_int_equal(quantity__bytes(text, &bytes), 0);
	assert_int_equal(bytes, expected);
}

static void test_times(void **state)
{
	(void)state;
	check_ns("0", 0);
	check_ns("500", 500);
	check_ns("500ns", 500);
	check_ns("10us", 10000);
	check_ns("1.5ms", 1500000);
	check_ns("2s", 2000000000);
}

static void test_sizes(void **state)
{
	(void)state;
	check_bytes("4096", 4096);
	check_bytes("4K", 4096);
	check_bytes("64MiB", 64 << 20);
	check_bytes("0.5G", 1 << 29);
}

static void test_shares(void **state)
{
	static const char *const bad[] = { "",	     "1",   "%",    "0%",  "-1%",
					   "100.1%", "1%%", "0x1%", "nan%" };
	double share;

	(void)state;
	assert_int_equal(quantity__share("1%", &share), 0);
	assert_true(share == 0.01);
	assert_int_equal(quantity__share("0.25 %", &share), 0);
	assert_true(share == 0.0025);
	assert_int_equal(quantity__share("100%", &share), 0);
	assert_true(share == 1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_true(quantity__share(bad[i], &share) < 0);
}

static void test_refused(void **state)
{
	static const char *const bad[] = { "",	   " 5",    "5 us", "-1",    "+1",  "x",
					   "0x10", "10min", "K",    "1.2.3", "nan", "inf" };
	__u64 out;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(quantity__ns(bad[i], &out), -EINVAL);
		assert_int_equal(quantity__bytes(bad[i], &out), -EINVAL);
	}
	assert_int_equal(quantity__ns("1e30", &out), -ERANGE);
	assert_int_equal(quantity__bytes("99999999999G", &out), -ERANGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
