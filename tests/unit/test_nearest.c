// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/nearest.h"

/* The nearest of the names; NULL: none is near. */
static const char *find(const char *wanted, const char *const *names)
{
	struct nearest nearest = nearest__begin(wanted);

	for (; *names; names++)
		nearest__try(&nearest, *names);
	return nearest.name;
}

static void test_near(void **state)
{
	static const char *const names[] = { "cb_plain", "cb_place",   "x_open",
					     "x_close",	 "mstro_init", NULL };

	(void)state;
	assert_string_equal(find("cb_plian", names), "cb_plain");
	assert_string_equal(find("cb_plain", names), "cb_plain");
	assert_string_equal(find("cb_plaine", names), "cb_plain");
	assert_string_equal(find("x_opne", names), "x_open");
	assert_string_equal(find("mstro_inti", names), "mstro_init");
	assert_string_equal(find("mstroinit", names), "mstro_init");
}

static void test_far(void **state)
{
	static const char *const names[] = { "open", "mstro_init", "", NULL };
	char longest[NEAREST_MAX + 2];

	(void)state;
	assert_null(find("cb_plain", names));
	assert_null(find("shut", names));
	assert_null(find("", (const char *const[]){ "a", NULL }));
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	assert_null(find(longest, (const char *const[]){ longest, NULL }));
	longest[NEAREST_MAX] = 0;
	assert_ptr_equal(find(longest, (const char *const[]){ longest, NULL }), longest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_near),
		cmocka_unit_test(test_far),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
