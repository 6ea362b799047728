// SPDX-License-Identifier: GPL-2.0-only
/* The types of a kernel that an object names, with what they hold, and no others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <bpf/btf.h>
#include <linux/types.h>

#include "kernel/small_types.h"

/* What a made-up kernel has: numbers of its types. */
struct kernel {
	struct btf *btf;
	int word, inner, other, outer, kind;
};

static void make_kernel(struct kernel *kernel)
{
	struct btf *btf = btf__new_empty();
	int other_pointer, array;

	assert_non_null(btf);
	kernel->btf = btf;
	kernel->word = btf__add_int(btf, "unsigned int", 4, 0);
	kernel->other = btf__add_struct(btf, "other", 4);
	assert_int_equal(btf__add_field(btf, "a", kernel->word, 0, 0), 0);
	other_pointer = btf__add_ptr(btf, kernel->other);
	kernel->inner = btf__add_struct(btf, "inner", 8);
	assert_int_equal(btf__add_field(btf, "low", kernel->word, 0, 0), 0);
	assert_int_equal(btf__add_field(btf, "high", kernel->word, 32, 0), 0);
	array = btf__add_array(btf, kernel->word, kernel->inner, 3);
	kernel->outer = btf__add_struct(btf, "outer", 32);
	assert_int_equal(btf__add_field(btf, "to", other_pointer, 0, 0), 0);
	assert_int_equal(btf__add_field(btf, "inners", array, 64, 0), 0);
	kernel->kind = btf__add_enum(btf, "kind", 4);
	assert_int_equal(btf__add_enum_value(btf, "KIND_ONE", 7), 0);
}

/* One that names the outer struct by a flavour of its own, the enum, and what is in no kernel. */
static struct btf *make_object(void)
{
	struct btf *btf = btf__new_empty();

	assert_non_null(btf);
	assert_true(btf__add_struct(btf, "outer___old", 0) > 0);
	assert_true(btf__add_enum(btf, "kind", 4) > 0);
	assert_true(btf__add_struct(btf, "mine", 0) > 0);
	return btf;
}

static void expect_outer(const struct btf *made)
{
	int id = btf__find_by_name_kind(made, "outer", BTF_KIND_STRUCT);
	const struct btf_type *outer = btf__type_by_id(made, id), *inners;

	assert_true(id > 0);
	assert_int_equal(outer->size, 32);
	assert_int_equal(btf_vlen(outer), 2);
	assert_string_equal(btf__name_by_offset(made, btf_members(outer)[1].name_off), "inners");
	assert_int_equal(btf_member_bit_offset(outer, 1), 64);
	assert_true(btf_is_ptr(btf__type_by_id(made, btf_members(outer)[0].type)));
	inners = btf__type_by_id(made, btf_members(outer)[1].type);
	assert_true(btf_is_array(inners));
	assert_int_equal(btf_array(inners)->nelems, 3);
	assert_int_equal(btf__resolve_size(made, btf_members(outer)[1].type), 24);
}

static void test_copies(void **state)
{
	struct small_types *types;
	struct kernel kernel;
	struct btf *made;

	(void)state;
	make_kernel(&kernel);
	assert_int_equal(small_types__new(&types, kernel.btf, make_object()), 0);
	made = btf__parse(small_types__path(types), NULL);
	assert_non_null(made);
	expect_outer(made);
	assert_true(btf__find_by_name_kind(made, "inner", BTF_KIND_STRUCT) > 0);
	assert_true(btf__find_by_name_kind(made, "kind", BTF_KIND_ENUM) > 0);
	assert_true(btf__find_by_name_kind(made, "other", BTF_KIND_STRUCT) < 0);
	assert_true(btf__find_by_name_kind(made, "mine", BTF_KIND_STRUCT) < 0);
	assert_int_equal(small_types__struct_id(types, "outer"), kernel.outer);
	assert_int_equal(small_types__struct_id(types, "mine"), 0);
	assert_int_equal(small_types__struct_id(types, "other"), 0);
	btf__free(made);
	small_types__free(types);
	btf__free(kernel.btf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
