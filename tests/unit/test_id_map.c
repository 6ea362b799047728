// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/id_map.h"

enum { IDS = 3000, STEPS = 200000 };

static size_t freed;

static void note_free(void *value)
{
	assert_non_null(value);
	freed++;
}

/* Numbers as cgroups have them, far apart and close by; what is there is compared with an array. */
static __u64 id_of(size_t i)
{
	return i % 3 ? i : (i + 1) << 32;
}

static void test_random(void **state)
{
	static bool there[IDS];
	struct id_map map = { 0 };
	size_t n = 0;

	(void)state;
	srand(11);
	for (size_t step = 0; step < STEPS; step++) {
		size_t i = (size_t)rand() % IDS;

		if (!there[i] && rand() % 3) {
			assert_int_equal(id_map__add(&map, id_of(i), &there[i]), 0);
			there[i] = true;
			n++;
		} else if (rand() % 2) {
			id_map__remove(&map, id_of(i));
			n -= there[i];
			there[i] = false;
		}
		assert_int_equal(map.n, n);
		assert_ptr_equal(id_map__find(&map, id_of(i)), there[i] ? &there[i] : NULL);
		for (size_t k = 0; step % 5000 == 0 && k < IDS; k++)
			assert_ptr_equal(id_map__find(&map, id_of(k)), there[k] ? &there[k] : NULL);
	}
	freed = 0;
	id_map__clear(&map, note_free);
	assert_int_equal(freed, n);
}

static void test_empty(void **state)
{
	struct id_map map = { 0 };
	int value;

	(void)state;
	assert_null(id_map__find(&map, 0));
	id_map__remove(&map, 7);
	assert_int_equal(id_map__add(&map, 0, &value), 0);
	assert_ptr_equal(id_map__find(&map, 0), &value);
	id_map__remove(&map, 7);
	id_map__remove(&map, 0);
	assert_null(id_map__find(&map, 0));
	id_map__clear(&map, NULL);
	id_map__clear(&map, note_free);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
