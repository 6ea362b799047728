// SPDX-License-Identifier: GPL-2.0-only
/* Which processes had mapped a traced library: what is known of them, and what is forgotten. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "discovery/mappers.h"

static void test_mappers(void **state)
{
	struct mappers *mappers = mappers__new();

	(void)state;
	assert_non_null(mappers);
	assert_int_equal(mappers__ask(mappers, 4711, 10), MAPPERS_NONE);
	mappers__add(mappers, 4711, 20);
	assert_int_equal(mappers__ask(mappers, 4711, 10), MAPPERS_MAPPED);
	/* Another process that got the number later. */
	assert_int_equal(mappers__ask(mappers, 4711, 30), MAPPERS_NONE);
	assert_int_equal(mappers__ask(mappers, 4712, 10), MAPPERS_NONE);
	for (pid_t pid = 1; pid <= 100000; pid++)
		mappers__add(mappers, pid, (__u64)pid);
	assert_int_equal(mappers__ask(mappers, 100000, 10), MAPPERS_MAPPED);
	assert_int_equal(mappers__ask(mappers, 4711, 10), MAPPERS_UNKNOWN);
	mappers__add_unknown(mappers, 200000);
	assert_int_equal(mappers__ask(mappers, 200000, 10), MAPPERS_UNKNOWN);
	mappers__free(mappers);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_mappers) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
