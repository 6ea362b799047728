// SPDX-License-Identifier: GPL-2.0-only
/* How often the service does what it can put off, by what it costs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/clock.h"
#include "governor/own_bound.h"

static __u64 now_ns, own_ns;

/* Windows of ten seconds in which it takes a share of two processors. */
static unsigned int pass(struct own_bound *own, double share, int windows)
{
	unsigned int factor = 0;

	while (windows--) {
		now_ns += 10 * NS_PER_S;
		own_ns += (__u64)(share * 2 * 10 * NS_PER_S);
		factor = own_bound__read(own, now_ns, own_ns, 2);
	}
	return factor;
}

static void test_steps(void **state)
{
	struct own_bound own = { .bound = 0.01 };

	(void)state;
	now_ns = 1000 * NS_PER_S;
	own_ns = NS_PER_S;
	/* What its start took is not known. */
	assert_int_equal(own_bound__read(&own, now_ns, own_ns, 2), 1);
	assert_int_equal(pass(&own, 0.009, 5), 1);
	assert_int_equal(pass(&own, 0.02, 1), 2);
	assert_true(own.share > 0.0199 && own.share < 0.0201);
	assert_int_equal(pass(&own, 0.02, 2), 8);
	assert_int_equal(pass(&own, 0.02, 9), OWN_BOUND_FACTOR_MAX);
	/* What fits stays as it is; with little it is as before, step by step. */
	assert_int_equal(pass(&own, 0.006, 9), OWN_BOUND_FACTOR_MAX);
	assert_int_equal(pass(&own, 0.001, 1), 8);
	assert_int_equal(pass(&own, 0.001, 9), 1);
}

static void test_none(void **state)
{
	struct own_bound own = { 0 };

	(void)state;
	assert_int_equal(pass(&own, 0.5, 9), 1);
	own.bound = 0.01;
	assert_int_equal(pass(&own, 0.5, 3), 8);
	own.bound = 0;
	assert_int_equal(pass(&own, 0.5, 3), 1);
}

/* A clock that jumps, or stands still, decides nothing. */
static void test_clock(void **state)
{
	struct own_bound own = { .bound = 0.01 };

	(void)state;
	assert_int_equal(pass(&own, 0.02, 3), 4);
	now_ns -= 500 * NS_PER_S;
	assert_int_equal(own_bound__read(&own, now_ns, own_ns, 2), 4);
	assert_int_equal(own_bound__read(&own, now_ns, own_ns + NS_PER_S, 0), 4);
	assert_int_equal(own_bound__read(&own, now_ns + 1, own_ns, 2), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
