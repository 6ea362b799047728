// SPDX-License-Identifier: GPL-2.0-only
/* What the catalogue says of objects known by handle, and of associations. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "catalogue_sample.h"

static struct tm_spec spec_of(const char *functions)
{
	char text[1024];
	struct catalogue *cat;
	struct tm_spec spec;

	snprintf(text, sizeof(text), FUNCS "%s", functions);
	cat = load_text(text);
	spec = catalogue__find_function(catalogue__layer(cat, 0), NULL, "f")->spec;
	catalogue__free(cat);
	return spec;
}

static void assert_operand(const struct tm_operand *o, int arg, int memory, int width)
{
	assert_int_equal(o->arg, arg);
	assert_int_equal(o->memory, memory);
	assert_int_equal(o->width, width);
}

static void test_names(void **state)
{
	struct tm_handle_spec spec =
		spec_of("- {name: f, names: {handle: \"[arg3]\", name: arg1}}\n").handle;

	(void)state;
	assert_int_equal(spec.does, TM_HANDLE_NAMES);
	assert_operand(&spec.handle, 3, 1, 8);
	assert_operand(&spec.name, 1, 0, 8);
	assert_int_equal(spec_of("- name: f\n").handle.does, 0);
}

static void test_sizes(void **state)
{
	struct tm_handle_spec spec = spec_of("- name: f\n  sizes: {handle: arg1, size: "
					     "\"[arg3].s64\", when: {string: arg2, is: .size}}\n")
					     .handle;

	(void)state;
	assert_int_equal(spec.does, TM_HANDLE_SIZES);
	assert_operand(&spec.handle, 1, 0, 8);
	assert_operand(&spec.size, 3, 1, 8);
	assert_operand(&spec.key, 2, 0, 8);
	assert_string_equal((const char *)spec.is, ".size");
	spec = spec_of("- {name: f, sizes: {handle: arg1, size: \"[[arg4]].s32\"}}\n").handle;
	assert_int_equal(spec.does, TM_HANDLE_SIZES | TM_HANDLE_INDIRECT);
	assert_operand(&spec.size, 4, 1, 4);
	assert_int_equal(spec.size.is_signed, 1);
	assert_int_equal(spec.key.arg, 0);
}

static void test_drops_and_by_size(void **state)
{
	struct tm_spec spec = spec_of("- {name: f, drops: arg2}\n");

	(void)state;
	assert_int_equal(spec.handle.does, TM_HANDLE_DROPS);
	assert_operand(&spec.handle.handle, 2, 0, 8);
	spec = spec_of("- {name: f, object: {handle: arg5}, by_size: true}\n");
	assert_int_equal(spec.object.kind, TM_OBJECT_HANDLE);
	assert_int_equal(spec.handle.does, TM_HANDLE_BY_SIZE);
	assert_operand(&spec.handle.handle, 5, 0, 8);
	spec = spec_of("- {name: f, names: {handle: \"[arg3]\", name: arg1}, by_size: true}\n");
	assert_int_equal(spec.handle.does, TM_HANDLE_NAMES | TM_HANDLE_BY_SIZE);
	assert_operand(&spec.handle.handle, 3, 1, 8);
	assert_int_equal(spec_of("- {name: f, by_size: false}\n").handle.does, 0);
}

static void test_joins(void **state)
{
	struct tm_handle_spec spec =
		spec_of("- {name: f, joins: {workflow: arg1, component: arg2}}\n").handle;

	(void)state;
	assert_int_equal(spec.does, TM_HANDLE_JOINS);
	assert_operand(&spec.name, 1, 0, 8);
	assert_operand(&spec.key, 2, 0, 8);
	spec = spec_of("- {name: f, joins: {component: arg2}}\n").handle;
	assert_int_equal(spec.name.arg, 0);
	assert_int_equal(spec_of("- {name: f, leaves: true}\n").handle.does, TM_HANDLE_LEAVES);
	assert_int_equal(spec_of("- {name: f, leaves: false}\n").handle.does, 0);
}

static void test_errors(void **state)
{
	static const struct {
		const char *text, *core;
	} bad[] = {
		{ "- {name: f, names: {name: arg1}}\n", "names has no handle" },
		{ "- {name: f, names: {handle: \"[arg3]\"}}\n", "names has no name" },
		{ "- {name: f, names: {handle: arg3, name: arg1}}\n", "only memory changes" },
		{ "- {name: f, names: {handle: \"[arg3]\", name: 5}}\n", "an argument is needed" },
		{ "- {name: f, names: {handle: \"[arg3]\", name: arg1, size: arg2}}\n", "size" },
		{ "- {name: f, sizes: {size: \"[arg3]\"}}\n", "sizes has no handle" },
		{ "- {name: f, sizes: {handle: arg1}}\n", "sizes has no size" },
		{ "- {name: f, sizes: {handle: arg1, size: arg2}}\n", "only memory changes" },
		{ "- {name: f, sizes: {handle: arg1, size: \"[[arg2].s64\"}}\n", "bad operand" },
		{ "- {name: f, sizes: {handle: arg1, size: \"[[arg2]].x\"}}\n", "bad operand" },
		{ "- {name: f, sizes: {handle: arg1, size: \"[arg3]\", when: {is: a}}}\n",
		  "when has no string" },
		{ "- {name: f, sizes: {handle: arg1, size: \"[arg3]\", when: {string: arg2}}}\n",
		  "when has no is" },
		{ "- {name: f, sizes: {handle: arg1, size: \"[arg3]\", when: {string: arg2, is: "
		  "a123456789b123456789c123456789d123456789e123456}}}\n",
		  "at most 46 are compared" },
		{ "- {name: f, drops: 4}\n", "an argument is needed" },
		{ "- {name: f, drops: arg1, sizes: {handle: arg1, size: \"[arg3]\"}}\n",
		  "a function tells one thing: " },
		{ "- {name: f, joins: {name: arg1}}\n", "name" },
		{ "- {name: f, joins: {workflow: 3}}\n", "an argument is needed" },
		{ "- {name: f, leaves: maybe}\n", "leaves" },
		{ "- {name: f, by_size: true}\n", "set object: {handle: arg1}" },
		{ "- {name: f, object: {value: arg1}, by_size: true}\n",
		  "set object: {handle: arg1}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char text[1024];
		struct catalogue *cat;
		struct error err;

		snprintf(text, sizeof(text), FUNCS "%s", bad[i].text);
		if (load_text_len(&cat, text, strlen(text), &err) != -EINVAL ||
		    !strstr(err.text, bad[i].core))
			fail_msg("%s: expected \"%s\", got \"%s\"", bad[i].text, bad[i].core,
				 err.text);
		check_message(&err, -EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_drops_and_by_size),
		cmocka_unit_test(test_joins),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
