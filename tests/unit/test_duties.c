// SPDX-License-Identifier: GPL-2.0-only
#include <poll.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/duties.h"

#define PERIOD_S 0.1
#define WAIT_MS	 10000

struct calls {
	int n;
	__u64 at_ns;
	struct calls *after; /* whose turn comes first; NULL: nobody's */
	struct duties *more; /* to which it adds itself once more; NULL: it does not */
};

static void on_call(void *context)
{
	struct calls *calls = context;

	if (calls->after)
		assert_int_equal(calls->after->n, calls->n + 1);
	calls->n++;
	calls->at_ns = clock__ns(CLOCK_MONOTONIC);
	if (calls->more)
		assert_true(duties__add(calls->more, 100 * PERIOD_S, on_call, calls) >= 0);
	calls->more = NULL;
}

/* Waits until something is due, and has it done. */
static void turn(struct duties *duties)
{
	struct pollfd due = { .fd = duties__fd(duties), .events = POLLIN };

	assert_int_equal(poll(&due, 1, WAIT_MS), 1);
	duties__run(duties);
}

/* Just after a multiple of the seconds: what is added now is due at the same moment. */
static void begin(void)
{
	struct calls calls = { 0 };
	struct duties *duties;

	assert_int_equal(duties__open(&duties), 0);
	assert_int_equal(duties__add(duties, PERIOD_S, on_call, &calls), 0);
	turn(duties);
	assert_int_equal(calls.n, 1);
	duties__close(duties);
}

/* Those of the same seconds are done together, in their order, at multiples of them. */
static void test_together(void **state)
{
	struct calls first = { 0 }, second = { .after = &first };
	struct duties *duties;

	(void)state;
	begin();
	assert_int_equal(duties__open(&duties), 0);
	assert_int_equal(duties__add(duties, PERIOD_S, on_call, &first), 0);
	assert_int_equal(duties__add(duties, PERIOD_S, on_call, &second), 1);
	for (int i = 1; i <= 3; i++) {
		turn(duties);
		assert_int_equal(first.n, i);
		assert_int_equal(second.n, i);
	}
	/* Until the next time there is nothing to do. */
	duties__run(duties);
	assert_true(first.n <= 4 && second.n == first.n);
	duties__close(duties);
}

/* One that comes rarely does not hold up others, and may come more often from now on. */
static void test_reset(void **state)
{
	struct calls often = { 0 }, rare = { 0 };
	struct duties *duties;
	int number;

	(void)state;
	begin();
	assert_int_equal(duties__open(&duties), 0);
	number = duties__add(duties, 1e6, on_call, &rare);
	assert_int_equal(number, 0);
	assert_int_equal(duties__add(duties, PERIOD_S, on_call, &often), 1);
	turn(duties);
	assert_int_equal(rare.n, 0);
	assert_int_equal(often.n, 1);
	duties__reset(duties, number, PERIOD_S);
	turn(duties);
	assert_int_equal(rare.n, 1);
	assert_int_equal(often.n, 2);
	duties__close(duties);
}

/* Others may be added by one that is being done. */
static void test_more(void **state)
{
	struct calls calls = { 0 };
	struct duties *duties;

	(void)state;
	begin();
	assert_int_equal(duties__open(&duties), 0);
	calls.more = duties;
	for (int i = 0; i < 20; i++)
		assert_int_equal(duties__add(duties, PERIOD_S, on_call, &calls), i);
	turn(duties);
	assert_int_equal(calls.n, 20);
	duties__close(duties);
	duties__close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
