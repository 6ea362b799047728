// SPDX-License-Identifier: GPL-2.0-only
/* The catalogue reader: every notation, which entry holds, merging, defaults. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "catalogue_sample.h"

static const struct tm_spec *sample_spec(const struct catalogue *cat, const char *symbol)
{
	const struct catalogue_function *function = find(cat, "sample", "libsample.so.1", symbol);

	assert_non_null(function);
	return &function->spec;
}

static void assert_operand(const struct tm_operand *o, int arg, int memory, int width,
			   int is_signed, int offset)
{
	assert_int_equal(o->arg, arg);
	assert_int_equal(o->memory, memory);
	assert_int_equal(o->width, width);
	assert_int_equal(o->is_signed, is_signed);
	assert_int_equal(o->offset, offset);
}

static void check_simple_sizes(const struct catalogue *cat)
{
	const struct tm_size *size;

	size = &sample_spec(cat, "s_value")->size;
	assert_int_equal(size->kind, TM_SIZE_VALUE);
	assert_operand(&size->a, 3, 0, 8, 0, 0);
	assert_operand(&sample_spec(cat, "s_typed")->size.a, 3, 0, 4, 1, 0);
	assert_operand(&sample_spec(cat, "s_memory")->size.a, 1, 1, 2, 0, 120);
	assert_operand(&sample_spec(cat, "s_stack")->size.a, 14, 1, 8, 1, -8);
	size = &sample_spec(cat, "s_delta")->size;
	assert_int_equal(size->kind, TM_SIZE_DELTA);
	assert_operand(&size->a, 1, 1, 8, 0, 120);
	size = &sample_spec(cat, "s_after")->size;
	assert_int_equal(size->kind, TM_SIZE_AFTER);
	assert_operand(&size->a, 5, 1, 8, 0, 16);
	assert_int_equal(sample_spec(cat, "s_return")->size.kind, TM_SIZE_RETURN);
	assert_int_equal(sample_spec(cat, "s_void")->size.kind, TM_SIZE_NONE);
}

static void check_composed_sizes(const struct catalogue *cat)
{
	const struct tm_size *size;

	size = &sample_spec(cat, "s_product")->size;
	assert_int_equal(size->kind, TM_SIZE_PRODUCT);
	assert_operand(&size->a, 2, 0, 4, 1, 0);
	assert_operand(&size->b, 0, 0, 8, 0, 8);
	size = &sample_spec(cat, "s_sum")->size;
	assert_int_equal(size->kind, TM_SIZE_SUM);
	assert_operand(&size->a, 4, 1, 8, 0, 8);
	assert_operand(&size->b, 4, 1, 4, 0, 0);
	assert_int_equal(size->item_width, 8);
	assert_int_equal(size->stride, 32);
	assert_int_equal(size->item_offset[0], 8);
	assert_int_equal(size->item_offset[1], 24);
	size = &sample_spec(cat, "s_sum_narrow")->size;
	assert_operand(&size->b, 0, 0, 8, 0, 3);
	assert_int_equal(size->item_width, 4);
	assert_int_equal(size->stride, 4);
	assert_int_equal(size->item_offset[0], 0);
	assert_int_equal(size->item_offset[1], 0);
}

static void check_objects(const struct catalogue *cat)
{
	const struct tm_object_spec *object;

	object = &sample_spec(cat, "s_object_value")->object;
	assert_int_equal(object->kind, TM_OBJECT_VALUE);
	assert_operand(&object->a, 1, 0, 4, 0, 0);
	object = &sample_spec(cat, "s_object_u128")->object;
	assert_int_equal(object->kind, TM_OBJECT_U128);
	assert_int_equal(object->big_endian, 0);
	assert_operand(&object->a, 1, 0, 8, 0, 8);
	object = &sample_spec(cat, "s_object_u128be")->object;
	assert_int_equal(object->kind, TM_OBJECT_U128);
	assert_int_equal(object->big_endian, 1);
	object = &sample_spec(cat, "s_object_string")->object;
	assert_int_equal(object->kind, TM_OBJECT_STRING);
	assert_operand(&object->a, 14, 0, 8, 0, 0);
}

static void assert_result(const struct catalogue *cat, const char *symbol, int fail, int width,
			  int is_signed)
{
	const struct tm_spec *spec = sample_spec(cat, symbol);

	assert_int_equal(spec->fail, fail);
	assert_int_equal(spec->return_width, width);
	assert_int_equal(spec->return_signed, is_signed);
}

static void check_results(const struct catalogue *cat)
{
	assert_result(cat, "s_value", TM_FAIL_NEGATIVE_ERRNO, 4, 1);
	assert_result(cat, "s_return", TM_FAIL_NEGATIVE_ERRNO, 8, 1);
	assert_result(cat, "s_void", TM_FAIL_NEVER, 0, 0);
	assert_result(cat, "s_nothing", TM_FAIL_NEVER, 0, 0);
	assert_result(cat, "s_pointer", TM_FAIL_NULL, 8, 0);
	assert_result(cat, "s_nonzero", TM_FAIL_NONZERO, 1, 0);
}

static void test_sample(void **state)
{
	struct catalogue *cat = load_path(source_path("tests/unit/data/catalogue/10-sample.yaml"));
	const struct catalogue_layer *layer = catalogue__layer(cat, 0);

	(void)state;
	assert_int_equal(catalogue__n_layers(cat), 1);
	assert_int_equal(catalogue__find_layer(cat, "sample"), 0);
	assert_int_equal(catalogue__find_layer(cat, "other"), -ENOENT);
	assert_string_equal(layer->name, "sample");
	assert_string_equal(layer->title, "A sample layer");
	assert_non_null(strstr(layer->file, "10-sample.yaml"));
	assert_int_equal(layer->n_sonames, 2);
	check_simple_sizes(cat);
	check_composed_sizes(cat);
	check_objects(cat);
	check_results(cat);
	catalogue__free(cat);
}

static void test_matching(void **state)
{
	struct catalogue *cat = load_path(source_path("tests/unit/data/catalogue/10-sample.yaml"));
	const struct catalogue_layer *layer = catalogue__layer(cat, 0);
	const struct catalogue_function *function;

	(void)state;
	assert_true(catalogue__matches(layer, "libsample.so"));
	assert_true(catalogue__matches(layer, "libsample.so.1.2"));
	assert_false(catalogue__matches(layer, "libsample2.so"));

	/* Exact beats pattern, also when it comes later; else the first pattern wins. */
	function = find(cat, "sample", "libsample.so.1", "s_hint_used");
	assert_false(function->pattern);
	assert_true(function->enabled);
	function = find(cat, "sample", "libsample.so.1", "s_hint_other");
	assert_string_equal(function->name, "s_hint*");
	assert_true(function->pattern);
	assert_false(function->enabled);
	function = find(cat, "sample", "libsample.so.1", "s_unknown");
	assert_string_equal(function->name, "s_*");
	assert_null(find(cat, "sample", "libsample.so.1", "t_unknown"));

	/* An entry for some libraries only. */
	function = find(cat, "sample", "libsample.so.2", "s_variant");
	assert_int_equal(function->spec.size.a.arg, 1);
	function = find(cat, "sample", "libsample.so.1", "s_variant");
	assert_int_equal(function->spec.size.a.arg, 2);
	assert_int_equal(find(cat, "sample", NULL, "s_variant")->n_only, 1);
	assert_null(find(cat, "sample", "elsewhere.so", "s_unknown"));
	catalogue__free(cat);
}

static void test_folder_and_override(void **state)
{
	struct catalogue *cat = load_path(source_path("tests/unit/data/catalogue"));
	const struct catalogue_layer *layer = catalogue__layer(cat, 0);
	const struct catalogue_function *function;

	(void)state;
	assert_int_equal(catalogue__n_layers(cat), 1);
	assert_true(catalogue__matches(layer, "libsample.so"));
	assert_true(catalogue__matches(layer, "libother.so.5"));
	assert_string_equal(layer->title, "A sample layer");

	function = find(cat, "sample", "libother.so.5", "s_hint_other");
	assert_true(function->enabled);
	assert_non_null(strstr(function->file, "20-override.yaml"));
	assert_int_equal(function->line, 6);
	function = find(cat, "sample", "libsample.so.1", "s_value");
	assert_operand(&function->spec.size.a, 4, 0, 8, 0, 0);
	/* The defaults of the layer's first file hold. */
	assert_int_equal(function->spec.fail, TM_FAIL_NEGATIVE_ERRNO);
	function = find(cat, "sample", "libsample.so.1", "s_typed");
	assert_non_null(strstr(function->file, "10-sample.yaml"));
	catalogue__free(cat);
}

static void test_defaults(void **state)
{
	struct catalogue *cat;
	const struct catalogue_function *function;

	(void)state;
	cat = load_text("\xef\xbb\xbf" /* a byte order mark is no content */ FUNCS "  - name: a\n");
	function = find(cat, "x", "libx.so", "a");
	assert_true(function->enabled);
	assert_int_equal(function->spec.fail, TM_FAIL_NEVER);
	assert_int_equal(function->spec.return_width, 4);
	assert_int_equal(function->line, 4);
	assert_string_equal(function->file, "t.yaml");
	assert_string_equal(catalogue__layer(cat, 0)->title, "x");
	catalogue__free(cat);

	cat = load_text(HEAD "defaults: {enabled: false, only: liby.so, fail: nonzero}\n"
			     "functions: [{name: a}, {name: b, enabled: true, only: libx.so}]\n");
	assert_false(find(cat, "x", "liby.so", "a")->enabled);
	assert_null(find(cat, "x", "libx.so", "a"));
	assert_true(find(cat, "x", "libx.so", "b")->enabled);
	assert_int_equal(find(cat, "x", "liby.so", "a")->spec.fail, TM_FAIL_NONZERO);
	catalogue__free(cat);

	cat = load_text(HEAD "functions: []\n");
	assert_int_equal(catalogue__layer(cat, 0)->n_functions, 0);
	assert_null(find(cat, "x", "libx.so", "a"));
	catalogue__free(cat);
}

static void test_nothing_to_load(void **state)
{
	struct catalogue *cat = NULL;

	(void)state;
	assert_int_equal(catalogue__load(&cat, NULL, NULL, 0, NULL), 0);
	assert_int_equal(catalogue__n_layers(cat), 0);
	catalogue__free(cat);
	catalogue__free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sample),
		cmocka_unit_test(test_matching),
		cmocka_unit_test(test_folder_and_override),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_nothing_to_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
