// SPDX-License-Identifier: GPL-2.0-only
/* How much is told of what, and who may say so. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "service/levels.h"

#define ALICE 1000
#define BOB   1001

static struct levels *levels;
static struct error err;

static int setup(void **state)
{
	(void)state;
	levels = levels__new(LEVELS_CALLS_USERS);
	return levels ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	levels__free(levels);
	return 0;
}

/* Of one layer, negative: of all. */
static int set_calls(__u64 job, unsigned int level, int layer, uid_t uid, struct tm_choice choice)
{
	struct levels_change change = { .level = level, .choice = choice };

	for (int i = 0; i < TM_DETAIL_LAYERS; i++)
		change.layers[i] = layer < 0 || layer == i;
	return levels__change(levels, job, &change, uid, &err);
}

static int set(__u64 job, unsigned int level, int layer, uid_t uid)
{
	return set_calls(job, level, layer, uid, (struct tm_choice){ 0 });
}

static unsigned int level_of(__u64 job, __u8 layer)
{
	return TM_DETAIL_LEVEL(levels__of(levels, job, layer));
}

static void test_node_and_job(void **state)
{
	struct tm_details details;

	(void)state;
	assert_int_equal(level_of(0, 0), TM_LEVEL_HISTOGRAM);
	assert_int_equal(level_of(7, 255), TM_LEVEL_HISTOGRAM);
	assert_int_equal(set(7, TM_LEVEL_CALLS, 1, 0), 0);
	assert_int_equal(set(0, TM_LEVEL_OFF, -1, 0), 0);
	assert_int_equal(level_of(7, 1), TM_LEVEL_CALLS);
	assert_int_equal(level_of(7, 2), TM_LEVEL_OFF);
	assert_int_equal(level_of(8, 1), TM_LEVEL_OFF);
	levels__details(levels, 7, &details);
	assert_int_equal(TM_DETAIL_LEVEL(details.of[1]), TM_LEVEL_CALLS);
	assert_int_equal(TM_DETAIL_LEVEL(details.of[0]), TM_LEVEL_OFF);
	assert_true(levels__is_own(levels, 7, 1));
	assert_false(levels__is_own(levels, 7, 0));
	/* Layers beyond those that are told apart are as the last one. */
	assert_int_equal(set(0, TM_LEVEL_SUMMARY, TM_DETAIL_LAYERS - 1, 0), 0);
	assert_int_equal(level_of(0, 255), TM_LEVEL_SUMMARY);
}

static void test_default(void **state)
{
	struct levels_job own;

	(void)state;
	assert_int_equal(set(7, TM_LEVEL_OFF, 1, 0), 0);
	assert_int_equal(set(7, TM_LEVEL_SUMMARY, 2, 0), 0);
	assert_int_equal(set(7, LEVELS_DEFAULT, 1, 0), 0);
	assert_true(levels__job(levels, 0, &own));
	assert_int_equal(own.job, 7);
	assert_int_equal(level_of(7, 1), TM_LEVEL_HISTOGRAM);
	assert_int_equal(set(7, LEVELS_DEFAULT, -1, 0), 0);
	assert_false(levels__job(levels, 0, &own));
	assert_int_equal(set(0, TM_LEVEL_OFF, -1, 0), 0);
	assert_int_equal(set(0, LEVELS_DEFAULT, -1, 0), 0);
	assert_int_equal(level_of(0, 0), TM_LEVEL_HISTOGRAM);
	assert_int_equal(set(8, TM_LEVEL_OFF, -1, 0), 0);
	levels__forget(levels, 8);
	levels__forget(levels, 8);
	assert_int_equal(level_of(8, 0), TM_LEVEL_HISTOGRAM);
}

static void test_users(void **state)
{
	(void)state;
	assert_int_equal(set(0, TM_LEVEL_CALLS, -1, ALICE), -EPERM);
	assert_int_equal(set(7, TM_LEVEL_OFF, -1, ALICE), -EPERM);
	assert_int_equal(set(7, TM_LEVEL_SUMMARY, 1, ALICE), -EPERM);
	assert_non_null(strstr(err.text, "raise"));
	assert_int_equal(set(7, TM_LEVEL_CALLS, 1, ALICE), 0);
	assert_int_equal(set(7, LEVELS_DEFAULT, 1, ALICE), 0);
	/* What root has set stays. */
	assert_int_equal(set(7, TM_LEVEL_HISTOGRAM, 1, 0), 0);
	assert_int_equal(set(7, TM_LEVEL_CALLS, 1, ALICE), -EPERM);
	assert_int_equal(set(7, LEVELS_DEFAULT, -1, ALICE), -EPERM);
	assert_non_null(strstr(err.text, "root"));
	/* Where the node has less, a user may have more. */
	assert_int_equal(set(0, TM_LEVEL_OFF, -1, 0), 0);
	assert_int_equal(set(9, TM_LEVEL_SUMMARY, -1, ALICE), 0);
	assert_int_equal(level_of(9, 3), TM_LEVEL_SUMMARY);
}

static void test_calls(void **state)
{
	const struct tm_choice some = { .sample = 10, .min_ns = 5 };
	__u8 detail;

	(void)state;
	assert_int_equal(set_calls(7, TM_LEVEL_CALLS, 1, ALICE, some), 0);
	assert_int_equal(set_calls(8, TM_LEVEL_CALLS, 1, BOB, some), 0);
	detail = levels__of(levels, 7, 1);
	assert_int_equal(detail, levels__of(levels, 8, 1));
	assert_memory_equal(&levels__choices(levels)[TM_DETAIL_CHOICE(detail)], &some,
			    sizeof(some));
	/* As many choices as there are; what nobody has is free for others. */
	for (__u32 i = 2; i < TM_CHOICES; i++)
		assert_int_equal(set_calls(100 + i, TM_LEVEL_CALLS, 1, 0,
					   (struct tm_choice){ .sample = 100 + i }),
				 0);
	assert_int_equal(set_calls(9, TM_LEVEL_CALLS, 1, 0, (struct tm_choice){ .sample = 3 }),
			 -ENOSPC);
	assert_int_equal(set(9, TM_LEVEL_CALLS, 1, 0), 0);
	levels__forget(levels, 102);
	assert_int_equal(set_calls(9, TM_LEVEL_CALLS, 1, 0, (struct tm_choice){ .sample = 3 }), 0);
}

static void test_who_may_record(void **state)
{
	(void)state;
	levels__free(levels);
	levels = levels__new(LEVELS_CALLS_ROOT);
	assert_int_equal(set(7, TM_LEVEL_CALLS, 1, ALICE), -EPERM);
	assert_int_equal(set(7, TM_LEVEL_CALLS, 1, 0), 0);
	levels__free(levels);
	levels = levels__new(LEVELS_CALLS_NONE);
	assert_int_equal(set(7, TM_LEVEL_CALLS, 1, 0), -EOPNOTSUPP);
	assert_int_equal(set(7, TM_LEVEL_SUMMARY, 1, 0), 0);
}

static void test_many_jobs(void **state)
{
	(void)state;
	for (__u64 job = 1; job <= LEVELS_OF_ONE; job++)
		assert_int_equal(set(job, TM_LEVEL_CALLS, 1, ALICE), 0);
	assert_int_equal(set(5000, TM_LEVEL_CALLS, 1, ALICE), -ENOSPC);
	assert_int_equal(set(5000, TM_LEVEL_CALLS, 1, BOB), 0);
	for (__u64 job = LEVELS_OF_ONE + 1; job < TM_DETAIL_JOBS; job++)
		assert_int_equal(set(job, TM_LEVEL_OFF, 1, 0), 0);
	assert_int_equal(set(6000, TM_LEVEL_OFF, 1, 0), -ENOSPC);
	assert_int_equal(set(1, LEVELS_DEFAULT, -1, ALICE), 0);
	assert_int_equal(set(6000, TM_LEVEL_OFF, 1, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_node_and_job, setup, teardown),
		cmocka_unit_test_setup_teardown(test_default, setup, teardown),
		cmocka_unit_test_setup_teardown(test_users, setup, teardown),
		cmocka_unit_test_setup_teardown(test_calls, setup, teardown),
		cmocka_unit_test_setup_teardown(test_who_may_record, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many_jobs, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
