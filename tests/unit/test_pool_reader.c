// SPDX-License-Identifier: GPL-2.0-only
/* Where the structs of storage pools are, as the catalogue says it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "catalogue_sample.h"

#define POOL "id: pool+40, name: pool+0, type: \"[pool+56].u32\", types: [NVM, SSD], "
#define F    FUNCS "  - {name: f, pools: {"

static void test_catalogue(void **state)
{
	struct catalogue *cat =
		load_text(F "at: \"[arg1]\", count: \"[list].s32\", items: "
			    "\"[list+8]\", stride: 216, " POOL "capacity: \"[pool+64]\"}}\n"
			    "  - {name: g, pools: {at: \"[arg2]\", id: pool+8}}\n");
	const struct catalogue_function *f = find(cat, "x", "libx.so", "f");
	const struct tm_pool_spec *pool = &f->spec.handle.pool;

	(void)state;
	assert_int_equal(f->spec.handle.does, TM_HANDLE_POOLS);
	assert_int_equal(f->spec.handle.handle.arg, 1);
	assert_true(pool->is_list);
	assert_int_equal(pool->count, 0);
	assert_int_equal(pool->items, 8);
	assert_int_equal(pool->stride, 216);
	assert_int_equal(pool->id.offset, 40);
	assert_int_equal(pool->name.arg, TM_ARG_BASE);
	assert_int_equal(pool->type.width, 4);
	assert_int_equal(pool->capacity.offset, 64);
	assert_int_equal(f->n_pool_types, 2);
	assert_string_equal(f->pool_types[1], "SSD");
	f = find(cat, "x", "libx.so", "g");
	pool = &f->spec.handle.pool;
	assert_false(pool->is_list);
	assert_int_equal(pool->name.arg, 0);
	assert_int_equal(f->n_pool_types, 0);
	catalogue__free(cat);
}

static void test_errors(void **state)
{
	static const struct {
		const char *pools, *complaint;
	} cases[] = {
		{ "id: pool+8", "pools has no at" },
		{ "at: \"[arg1]\"", "pools has no id" },
		{ "at: arg1, id: pool+8", "only memory changes" },
		{ "at: \"[arg1]\", id: \"[pool+8]\"", "id of pools is read at the pool" },
		{ "at: \"[arg1]\", id: pool+8, capacity: pool+8", "capacity of pools is read" },
		{ "at: \"[arg1]\", id: pool+70000", "id of pools is read" },
		{ "at: \"[arg1]\", id: pool+8, count: \"[list].s32\"", "needs items" },
		{ "at: \"[arg1]\", id: pool+8, count: \"[list]\", items: \"[list+8]\", stride: 8",
		  "of 32 bits" },
		{ "at: \"[arg1]\", id: pool+8, count: \"[list].s32\", items: \"[list+8]\"",
		  "has no stride" },
		{ "at: \"[arg1]\", id: pool+8, types: [A]", "both type" },
		{ "at: \"[arg1]\", id: pool+8, type: \"[pool].u32\", types: []",
		  "types has 0 names" },
		{ "at: \"[arg1]\", id: pool+8, free: 8", "unknown key \"free\"" },
		{ "at: \"[arg1]\", id: pool+8}, joins: {", "one thing" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct catalogue *cat;
		struct error err;
		char text[512];

		snprintf(text, sizeof(text), F "%s}}\n", cases[i].pools);
		if (load_text_len(&cat, text, strlen(text), &err) == 0)
			fail_msg("taken: %s", cases[i].pools);
		if (!strstr(err.text, cases[i].complaint))
			fail_msg("%s: %s", cases[i].pools, err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_catalogue),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
