// SPDX-License-Identifier: GPL-2.0-only
/* What functions do to operations, as the catalogue says it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "catalogue/catalogue.h"
#include "tmtrace/key.h"

#define HEAD "layer: one\norder: 20\nlibraries: libone.so\nfunctions:\n"

static struct catalogue *read_functions(const char *functions, struct error *err)
{
	static const char below[] = "layer: two\norder: 30\nlibraries: libtwo.so\n"
				    "functions: [name: two_run]\n";
	char text[1024];
	struct catalogue_text texts[] = { { "one.yaml", text, 0 },
					  { "two.yaml", below, sizeof(below) - 1 } };
	struct catalogue *cat;

	texts[0].len = (size_t)snprintf(text, sizeof(text), HEAD "%s", functions);
	return catalogue__load_texts(&cat, texts, 2, err) ? NULL : cat;
}

/* How the function f is read in this text. */
static struct tm_spec spec_of(const char *functions)
{
	struct error err = { 0 };
	struct catalogue *cat = read_functions(functions, &err);
	struct tm_spec spec;

	if (!cat)
		fail_msg("%s", err.text);
	spec = catalogue__find_function(catalogue__layer(cat, 0), NULL, "f")->spec;
	catalogue__free(cat);
	return spec;
}

static struct tm_role role_of(const char *functions)
{
	return spec_of(functions).role;
}

static void assert_operand(const struct tm_operand *o, int arg, int memory, int width, int offset)
{
	assert_int_equal(o->arg, arg);
	assert_int_equal(o->memory, memory);
	assert_int_equal(o->width, width);
	assert_int_equal(o->offset, offset);
}

static void test_simple(void **state)
{
	struct tm_role role = role_of("- {name: f, launches: arg4}\n");

	(void)state;
	assert_int_equal(role.kind, TM_ROLE_LAUNCH);
	assert_operand(&role.operation, 4, 0, 8, 0);
	role = role_of("- {name: f, launches: {operation: \"[arg2+16]\"}}\n");
	assert_operand(&role.operation, 2, 1, 8, 16);
	role = role_of("- {name: f, forgets: arg1}\n");
	assert_int_equal(role.kind, TM_ROLE_FORGET);
	assert_int_equal(role_of("- {name: f}\n").kind, TM_ROLE_NONE);
}

/* A size that is told by the operation, not by the call. */
static void test_brought(void **state)
{
	struct tm_size size = spec_of("- name: f\n  launches: arg5\n  size: {sum: arg3, count: "
				      "arg2.s32, stride: 32, offset: [8, 24], when: complete}\n")
				      .size;

	(void)state;
	assert_int_equal(size.kind, TM_SIZE_BROUGHT);
	assert_operand(&size.a, 3, 0, 8, 0);
	assert_operand(&size.b, 2, 0, 4, 0);
	assert_int_equal(size.stride, 32);
	assert_int_equal(size.item_offset[1], 24);
}

static void test_complete(void **state)
{
	struct tm_role role =
		role_of("- {name: f, completes: {operation: arg1, result: arg2.s32}}\n");

	(void)state;
	assert_int_equal(role.kind, TM_ROLE_COMPLETE);
	assert_operand(&role.result, 2, 0, 4, 0);
	assert_int_equal(role.flags, 0);
	role = role_of("- name: f\n  completes: {operation: arg1, result: \"[op+12].s32\", "
		       "errno: positive}\n");
	assert_operand(&role.result, TM_ARG_BASE, 1, 4, 12);
	assert_int_equal(role.flags, TM_ROLE_POSITIVE);
}

static void test_poll_of_items(void **state)
{
	struct tm_role role =
		role_of("- name: f\n  polls: {items: arg1, count: arg2.s32, stride: 16, operation: "
			"\"[item]\", state: \"[item+8].s32\", done: [1, 2], result: "
			"\"[op+28].s32\"}\n");

	(void)state;
	assert_int_equal(role.kind, TM_ROLE_POLL);
	assert_int_equal(role.stride, 16);
	assert_operand(&role.other, 1, 0, 8, 0);
	assert_operand(&role.count, 2, 0, 4, 0);
	assert_operand(&role.operation, TM_ARG_BASE, 1, 8, 0);
	assert_operand(&role.state, TM_ARG_BASE, 1, 4, 8);
	assert_operand(&role.result, TM_ARG_BASE, 1, 4, 28);
	assert_int_equal(role.flags, 0);
	assert_int_equal(role.n_states, 2);
	assert_int_equal(role.states[1], 2);
}

static void test_poll_of_one(void **state)
{
	struct tm_role role = role_of(
		"- name: f\n  polls: {operation: arg1, state: \"[op+112].s32\", pending: 115}\n");

	(void)state;
	assert_operand(&role.operation, 1, 0, 8, 0);
	assert_operand(&role.state, TM_ARG_BASE, 1, 4, 112);
	assert_int_equal(role.other.arg, 0);
	assert_int_equal(role.flags, TM_ROLE_PENDING);
	assert_int_equal(role.states[0], 115);
}

/* A step is of the operations of another layer; without that layer it is none. */
static void test_step(void **state)
{
	struct tm_role role =
		role_of("- {name: f, adds_step: {operation: arg1, step: arg5, layer: two}}\n");

	(void)state;
	assert_int_equal(role.kind, TM_ROLE_STEP);
	assert_int_equal(role.layer, TM_LAYER_USER + 1);
	assert_operand(&role.other, 5, 0, 8, 0);
	role = role_of("- {name: f, adds_step: {operation: arg1, step: arg5, layer: three}}\n");
	assert_int_equal(role.kind, TM_ROLE_NONE);
}

/* Each complaint names the file, the line and what is wrong. */
static void test_errors(void **state)
{
	static const struct {
		const char *functions, *complaint;
	} cases[] = {
		{ "- {name: f, launches: 8}\n", "operation is the constant \"8\"" },
		{ "- {name: f, launches: \"[op]\"}\n", "bad operand \"[op]\"" },
		{ "- {name: f, launches: {operation: arg1, at: 2}}\n", "at" },
		{ "- {name: f, launches: arg1, forgets: arg1}\n", "one role" },
		{ "- {name: f, completes: {result: arg2}}\n", "completes has no operation" },
		{ "- {name: f, completes: {operation: arg1, errno: odd}}\n", "errno is \"odd\"" },
		{ "- {name: f, adds_step: {operation: arg1, step: arg2}}\n", "has no layer" },
		{ "- {name: f, adds_step: {operation: arg1, layer: two}}\n", "has no step" },
		{ "- {name: f, polls: {operation: arg1, state: \"[op]\"}}\n", "done or pending" },
		{ "- {name: f, polls: {operation: arg1, state: \"[arg1]\", done: 1}}\n",
		  "when the call returns" },
		{ "- {name: f, polls: {operation: arg1, state: arg2, done: 1}}\n", "only memory" },
		{ "- {name: f, polls: {operation: arg1, count: 2, state: \"[op]\", done: 1}}\n",
		  "no items" },
		{ "- {name: f, polls: {items: arg1, stride: 8, operation: \"[item]\", state: "
		  "\"[item]\", done: 1}}\n",
		  "has no count" },
		{ "- {name: f, polls: {items: arg1, count: 1, stride: 0, operation: \"[item]\", "
		  "state: \"[item]\", done: 1}}\n",
		  "stride" },
		{ "- {name: f, polls: {operation: arg1, state: \"[op]\", done: [1, 2, 3, 4, 5]}}\n",
		  "done has 5 numbers" },
		{ "- {name: f, polls: {operation: arg1, state: \"[op]\", done: 1, result: arg2}}\n",
		  "result of polls" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct error err = { 0 };
		struct catalogue *cat = read_functions(cases[i].functions, &err);

		if (cat)
			fail_msg("taken: %s", cases[i].functions);
		if (strncmp(err.text, "one.yaml:5: ", 12) != 0 ||
		    !strstr(err.text, cases[i].complaint))
			fail_msg("%s: %s", cases[i].functions, err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_simple),	      cmocka_unit_test(test_complete),
		cmocka_unit_test(test_poll_of_items), cmocka_unit_test(test_poll_of_one),
		cmocka_unit_test(test_step),	      cmocka_unit_test(test_errors),
		cmocka_unit_test(test_brought),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
