// SPDX-License-Identifier: GPL-2.0-only
/* Where structs of operations have what, as the catalogue says it, and whether it fits. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "calls/operation_fields.h"
#include "catalogue_sample.h"

/* An operation begins in line 5. */
#define TOP HEAD "functions: [{name: f, launches: arg1}]\noperations:\n"

static const struct catalogue_operation *first_of(const struct catalogue *cat)
{
	return catalogue__find_operation(catalogue__layer(cat, 0), "libx.so");
}

static void assert_operand(const struct tm_operand *o, int arg, int memory, int width, int offset)
{
	assert_int_equal(o->arg, arg);
	assert_int_equal(o->memory, memory);
	assert_int_equal(o->width, width);
	assert_int_equal(o->offset, offset);
}

static void test_paths(void **state)
{
	struct catalogue *cat = load_text(TOP "- seqno: \"[op]\"\n"
					      "  sm_id: \"[[op+16]+24].u32\"\n"
					      "  object: {u128be: \"[op+344]+8\"}\n");
	const struct catalogue_operation *operation = first_of(cat);
	const struct tm_path *paths = operation->fields.paths;

	(void)state;
	assert_operand(&paths[TM_FIELD_SEQNO].at, TM_ARG_BASE, 1, 8, 0);
	assert_int_equal(paths[TM_FIELD_SEQNO].pointer.arg, 0);
	assert_operand(&paths[TM_FIELD_SM_ID].pointer, TM_ARG_BASE, 1, 8, 16);
	assert_operand(&paths[TM_FIELD_SM_ID].at, TM_ARG_BASE, 1, 4, 24);
	assert_operand(&paths[TM_FIELD_OBJECT].pointer, TM_ARG_BASE, 1, 8, 344);
	assert_operand(&paths[TM_FIELD_OBJECT].at, TM_ARG_BASE, 0, 8, 8);
	assert_int_equal(operation->fields.object_kind, TM_OBJECT_U128);
	assert_int_equal(operation->fields.big_endian, 1);
	assert_int_equal(paths[TM_FIELD_CODE].at.arg, 0);
	catalogue__free(cat);
	cat = load_text(TOP "- object: {value: \"[op].s32\"}\n");
	assert_operand(&first_of(cat)->fields.paths[TM_FIELD_OBJECT].at, TM_ARG_BASE, 1, 4, 0);
	assert_int_equal(first_of(cat)->fields.object_kind, TM_OBJECT_VALUE);
	catalogue__free(cat);
}

static void test_codes(void **state)
{
	struct catalogue *cat = load_text(TOP "- code: \"[op+8].u32\"\n"
					      "  codes: {1: CREATE, 0x10: READ}\n"
					      "  session: {value: \"[op+16]\", codes: [16]}\n");
	const struct catalogue_operation *operation = first_of(cat);

	(void)state;
	assert_int_equal(operation->n_codes, 2);
	assert_int_equal(operation->codes[1].number, 16);
	assert_string_equal(operation->codes[1].name, "READ");
	assert_false(operation->codes[0].has_session);
	assert_true(operation->codes[1].has_session);
	catalogue__free(cat);
}

/* The one for a library is the first that matches; of a further file they come first. */
static void test_versions(void **state)
{
	static const char one[] = TOP "- {only: libx.so.1, sm_id: \"[op+8]\"}\n- sm_id: \"[op]\"\n";
	static const char two[] = "layer: x\noperations: {sm_id: \"[op+4]\", only: \"*.2\"}\n";
	const struct catalogue_text texts[] = { { "one.yaml", one, sizeof(one) - 1 },
						{ "two.yaml", two, sizeof(two) - 1 } };
	static const struct {
		const char *soname;
		int offset;
	} cases[] = { { "libx.so.1", 8 }, { "libx.so.2", 4 }, { "libx.so.3", 0 } };
	struct catalogue *cat;
	struct error err;

	(void)state;
	assert_int_equal(catalogue__load_texts(&cat, texts, 2, &err), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct catalogue_operation *operation =
			catalogue__find_operation(catalogue__layer(cat, 0), cases[i].soname);

		assert_int_equal(operation->fields.paths[TM_FIELD_SM_ID].at.offset,
				 cases[i].offset);
		assert_ptr_equal(catalogue__operation(cat, operation->number), operation);
	}
	assert_null(catalogue__operation(cat, 0));
	assert_null(catalogue__operation(cat, 4));
	catalogue__free(cat);
}

/* Each complaint names the file, the line and what is wrong. */
static void test_errors(void **state)
{
	static const struct {
		const char *text, *complaint;
	} cases[] = {
		{ "- {seqno: arg1}\n", "does not begin in the operation" },
		{ "- {seqno: \"[arg1]\"}\n", "does not begin in the operation" },
		{ "- {seqno: 8}\n", "does not begin in the operation" },
		{ "- {seqno: \"op+8\"}\n", "seqno is the address" },
		{ "- {sm_id: \"[[op+8]\"}\n", "bad path" },
		{ "- {sm_id: \"[[[op]]]\"}\n", "bad path" },
		{ "- {sm_id: \"[[op+8]+x]\"}\n", "bad path" },
		{ "- {sm_id: "
		  "\"[op+0000000000000000000000000000000000000000000000000000000001]\"}\n",
		  "too long" },
		{ "- {number: \"[op]\"}\n", "number" },
		{ "- {code: \"[op]\"}\n", "both code" },
		{ "- {codes: {1: A}}\n", "both code" },
		{ "- {code: \"[op]\", codes: [1, 2]}\n", "codes needs 1 to 64 names" },
		{ "- {code: \"[op]\", codes: {}}\n", "codes needs 1 to 64 names" },
		{ "- {code: \"[op]\", codes: {A: 1}}\n", "a number of codes" },
		{ "- {code: \"[op]\", codes: {1: A, 0x1: B}}\n", "codes has 1 twice" },
		{ "- {code: \"[op]\", codes: {1: [A]}}\n", "a name of codes" },
		{ "- {code: \"[op]\", codes: {1: ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFG}}\n", "longer" },
		{ "- {session: {codes: [1]}}\n", "session has no value" },
		{ "- {session: {value: \"[op]\", codes: [1]}}\n", "codes of session has 1" },
		{ "- {object: {string: \"[op]\"}}\n", "string" },
		{ "- {object: {}}\n", "exactly one" },
		{ "- {object: {value: \"[op]\", u128: op}}\n", "exactly one" },
		{ "- {object: {value: op}}\n", "object is the address" },
		{ "- {only: []}\n", "only is empty" },
		{ "- seqno\n", "a mapping" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[512];
		struct catalogue *cat;
		struct error err;
		int n = snprintf(text, sizeof(text), TOP "%s", cases[i].text);

		if (!load_text_len(&cat, text, (size_t)n, &err))
			fail_msg("taken: %s", cases[i].text);
		check_message(&err, -EINVAL);
		if (strncmp(err.text, "t.yaml:5: ", 10) != 0 ||
		    !strstr(err.text, cases[i].complaint))
			fail_msg("%s: %s", cases[i].text, err.text);
	}
}

static void test_too_many(void **state)
{
	static const char one[] = "- seqno: \"[op]\"\n";
	char text[4096] = TOP;
	size_t length = strlen(text);
	struct catalogue *cat;
	struct error err;

	(void)state;
	for (int i = 0; i <= TM_FIELDS_MAX; i++, length += sizeof(one) - 1)
		memcpy(text + length, one, sizeof(one));
	assert_int_equal(load_text_len(&cat, text, length, &err), -EINVAL);
	assert_non_null(strstr(err.text, "more than 32 operations"));
}

/* Two files of a library, whose operations are described alike. */
struct library {
	struct catalogue *catalogue;
	struct probe_table *probes;
	struct note_list notes;
	struct operation_fields *fields;
};

static void open_library(struct library *library)
{
	struct probe probe = { .layer_id = TM_LAYER_USER, .library = "/lib/libx.so" };
	int id;

	*library = (struct library){ 0 };
	library->catalogue = load_text(TOP "- seqno: \"[op]\"\n"
					   "  sm_id: \"[op+8]\"\n"
					   "  code: \"[op+16].u32\"\n"
					   "  codes: {1: CREATE, 2: READ}\n"
					   "  session: {value: \"[op+24]\", codes: [2]}\n"
					   "  object: {u128: \"[op+32]\"}\n");
	assert_int_equal(probe_table__new(&library->probes, library->catalogue), 0);
	id = probe_table__function_id(library->probes, TM_LAYER_USER, "f");
	probe.function_id = (__u32)id;
	assert_int_equal(probe_table__add(library->probes, &probe), TM_PROBE_USER);
	probe.spec.role.fields = 1;
	assert_int_equal(probe_table__add(library->probes, &probe), TM_PROBE_USER + 1);
	probe.library = "/opt/libx.so";
	assert_int_equal(probe_table__add(library->probes, &probe), TM_PROBE_USER + 2);
	library->fields =
		operation_fields__new(library->catalogue, library->probes, &library->notes);
}

static void close_library(struct library *library)
{
	operation_fields__free(library->fields);
	note_list__clear(&library->notes);
	probe_table__free(library->probes);
	catalogue__free(library->catalogue);
}

/* As the kernel side reads it, where all is as it should be. */
static struct tm_operation_record fitting(__u32 probe)
{
	return (struct tm_operation_record){
		.call.object_kind = TM_OBJECT_U128,
		.fields = { 5, 77, 1234, 2 },
		.known = TM_OPERATION_SUBMITTED | 1 << TM_FIELD_SEQNO | 1 << TM_FIELD_SESSION |
			 1 << TM_FIELD_SM_ID | 1 << TM_FIELD_CODE,
		.probe = probe,
		.is_read = 1,
	};
}

static void test_fitting(void **state)
{
	struct tm_operation_record record = fitting(1);
	struct library library;

	(void)state;
	open_library(&library);
	assert_string_equal(operation_fields__check(library.fields, &record), "READ");
	assert_int_equal(record.known, fitting(1).known);
	assert_int_equal(record.call.object_kind, TM_OBJECT_U128);
	assert_int_equal(record.is_read, 0);
	/* A kind without session; what stands in its place may be anything. */
	record = fitting(1);
	record.fields[TM_FIELD_CODE] = 1;
	record.fields[TM_FIELD_SESSION] = ~0ULL;
	assert_string_equal(operation_fields__check(library.fields, &record), "CREATE");
	assert_int_equal(record.known, fitting(1).known & ~(1 << TM_FIELD_SESSION));
	assert_int_equal(record.fields[TM_FIELD_SESSION], 0);
	/* Nothing is known of these operations but what they are about; and of this probe. */
	for (__u32 probe = 0; probe <= 99; probe += 99) {
		record = (struct tm_operation_record){ .probe = probe };
		record.call.object_kind = TM_OBJECT_VALUE;
		assert_null(operation_fields__check(library.fields, &record));
		assert_int_equal(record.call.object_kind, TM_OBJECT_VALUE);
	}
	assert_int_equal(library.notes.n, 0);
	close_library(&library);
}

/* A field that does not fit is told once, and left out of that library alone. */
static void test_misfits(void **state)
{
	struct tm_operation_record record = fitting(1);
	struct library library;

	(void)state;
	open_library(&library);
	record.fields[TM_FIELD_SM_ID] = 0;
	assert_string_equal(operation_fields__check(library.fields, &record), "READ");
	assert_int_equal(record.known, fitting(1).known & ~(1 << TM_FIELD_SM_ID));
	assert_int_equal(library.notes.n, 1);
	assert_non_null(strstr(library.notes.lines[0],
			       "libx.so: struct field sm_id of operations does not fit, left out"));
	record = fitting(1);
	operation_fields__check(library.fields, &record);
	assert_int_equal(record.fields[TM_FIELD_SM_ID], 0);
	record = fitting(1);
	record.fields[TM_FIELD_CODE] = 99;
	record.fields[TM_FIELD_SEQNO] = 0x7f0011223344ULL;
	assert_null(operation_fields__check(library.fields, &record));
	assert_int_equal(library.notes.n, 3);
	record = fitting(1);
	record.misfits = 1 << TM_FIELD_OBJECT;
	operation_fields__check(library.fields, &record);
	assert_int_equal(record.call.object_kind, TM_OBJECT_NONE);
	assert_int_equal(record.misfits, 0);
	assert_int_equal(record.known, TM_OPERATION_SUBMITTED);
	record = fitting(2);
	assert_string_equal(operation_fields__check(library.fields, &record), "READ");
	assert_int_equal(record.known, fitting(2).known);
	close_library(&library);
}

/* Once a library's fields have fitted, one that does not is a value that is not known. */
static void test_believed(void **state)
{
	struct tm_operation_record record;
	struct library library;

	(void)state;
	open_library(&library);
	for (int i = 0; i < OPERATION_FIELDS_TRIED; i++) {
		record = fitting(1);
		operation_fields__check(library.fields, &record);
	}
	record = fitting(1);
	record.fields[TM_FIELD_CODE] = 99;
	assert_null(operation_fields__check(library.fields, &record));
	record = fitting(1);
	assert_string_equal(operation_fields__check(library.fields, &record), "READ");
	assert_int_equal(library.notes.n, 0);
	close_library(&library);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),	 cmocka_unit_test(test_codes),
		cmocka_unit_test(test_versions), cmocka_unit_test(test_errors),
		cmocka_unit_test(test_too_many), cmocka_unit_test(test_fitting),
		cmocka_unit_test(test_misfits),	 cmocka_unit_test(test_believed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
