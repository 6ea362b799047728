// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/file_set.h"

static void test_each_once(void **state)
{
	struct file_key key = { 8, 1, 12, 3 }, generation = { 8, 1, 12, 4 },
			device = { 8, 2, 12, 3 };
	struct file_set *set = file_set__new();

	(void)state;
	assert_non_null(set);
	assert_true(file_set__add(set, &key));
	assert_false(file_set__add(set, &key));
	assert_true(file_set__add(set, &generation));
	assert_true(file_set__add(set, &device));
	assert_false(file_set__add(set, &key));
	file_set__clear(set);
	assert_true(file_set__add(set, &key));
	file_set__free(set);
}

static void test_numbers(void **state)
{
	struct file_key key = { 8, 1, 12, 3 }, other = { 8, 1, 13, 3 };
	struct file_set *set = file_set__new();

	(void)state;
	assert_non_null(set);
	assert_null(file_set__number(set, &key));
	assert_true(file_set__add(set, &key));
	assert_int_equal(*file_set__number(set, &key), 0);
	*file_set__number(set, &key) = 17;
	assert_true(file_set__add(set, &other));
	assert_false(file_set__add(set, &key));
	assert_int_equal(*file_set__number(set, &key), 17);
	assert_int_equal(*file_set__number(set, &other), 0);
	file_set__clear(set);
	assert_null(file_set__number(set, &key));
	file_set__free(set);
}

/* More than it holds: it forgets, and goes on. */
static void test_many(void **state)
{
	struct file_set *set = file_set__new();
	struct file_key key = { 8, 1, 0, 0 };
	size_t added = 0;

	(void)state;
	assert_non_null(set);
	for (key.ino = 1; key.ino <= 100000; key.ino++)
		added += file_set__add(set, &key);
	assert_int_equal(added, 100000);
	key.ino = 100000;
	assert_false(file_set__add(set, &key));
	file_set__free(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_once),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
