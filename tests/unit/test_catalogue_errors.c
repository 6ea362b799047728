// SPDX-License-Identifier: GPL-2.0-only
/* What the catalogue reader refuses: every complaint, with its line. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "catalogue_sample.h"

static void expect_error(const char *text, size_t len, int line, const char *core)
{
	struct catalogue *cat;
	struct error err;
	char prefix[64];
	int rc = load_text_len(&cat, text, len, &err);

	if (rc == 0)
		fail_msg("accepted, but it should say \"%s\": %.200s", core, text);
	check_message(&err, rc);
	assert_int_equal(rc, -EINVAL);
	assert_null(cat);
	snprintf(prefix, sizeof(prefix), "t.yaml:%d: ", line);
	if (strncmp(err.text, prefix, strlen(prefix)) != 0 || !strstr(err.text, core))
		fail_msg("expected \"%s...%s\", got \"%s\"", prefix, core, err.text);
}

struct bad {
	const char *text;
	int line;
	const char *core;
};

static void expect_errors(const struct bad *bad, size_t n)
{
	for (size_t i = 0; i < n; i++)
		expect_error(bad[i].text, strlen(bad[i].text), bad[i].line, bad[i].core);
}

#define EXPECT_ERRORS(bad) expect_errors(bad, sizeof(bad) / sizeof((bad)[0]))

static void test_bad_documents(void **state)
{
	static const struct bad bad[] = {
		{ "", 1, "the file is empty" },
		{ "# nothing but a comment\n", 1, "the file is empty" },
		{ "\n---\n", 3, "the file holds a single value, a mapping" },
		{ "hello", 1, "the file holds a single value, a mapping" },
		{ "\n- a\n- b\n", 2, "the file holds a list, a mapping" },
		{ FUNCS "  - name: a\n---\nlayer: y\n", 5, "a second document starts here" },
		{ "layer: x\n\tlibraries: [a]\n", 2, "not valid YAML, " },
		{ "layer: x\nlibraries: [a\nfunctions: []\n", 3, "not valid YAML, " },
		{ "layer: *nowhere\n", 1, "not valid YAML, found undefined alias" },
		{ "layer: x\n# caf\xe9\n", 2, "not a text file, " },
		{ "layer: x\ntitle: \x01\n", 2, "not a text file, control characters" },
		{ "layer: x\ntitle: {a: [[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]}\n", 2,
		  "nested more than 16 levels deep" },
		{ "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", 1, "nested more than 16 levels deep" },
	};
	static const char binary[] = "\x7f"
				     "ELF\2\1\1\0\0\0\0";

	(void)state;
	EXPECT_ERRORS(bad);
	expect_error(binary, sizeof(binary), 1, "not a text file, ");
	expect_error("layer: x\n\0", 10, 2, "not a text file, ");
	expect_error("\xff\xfe\0l\0a", 6, 1, "not a text file, ");
}

static void test_bad_top(void **state)
{
	static const struct bad bad[] = {
		{ "{}", 1, "the key layer is missing" },
		{ "title: y\nlibraries: [a]\nfunctions: []\n", 1, "the key layer is missing" },
		{ "layer:\n", 1, "layer is empty" },
		{ "layer: [x]\n", 1, "layer is a list, a single value is needed" },
		{ "layer: {x: y}\n", 1, "layer is a mapping, a single value is needed" },
		{ "layer: X\n", 1, "layer \"X\" is no valid name" },
		{ "layer: 1x\n", 1, "layer \"1x\" is no valid name" },
		{ "layer: x-y\n", 1, "layer \"x-y\" is no valid name" },
		{ "layer: abcdefghijklmnop\n", 1, "is no valid name, use 1 to 15" },
		{ "layer: vfs\n", 1, "layer \"vfs\" is one of the kernel's own" },
		{ "layer: block\n", 1, "layer \"block\" is one of the kernel's own" },
		{ "layer: x\n", 1, "the key libraries is missing" },
		{ HEAD, 1, "the key functions is missing" },
		{ HEAD "functions:\n", 3, "functions is not a list" },
		{ HEAD "functions: {name: a}\n", 3, "functions is not a list" },
		{ HEAD "librarys: [a]\nfunctions: []\n", 3,
		  "unknown key \"librarys\" in a catalogue file, known are: layer, title, "
		  "order, libraries, recognize, defaults, functions" },
		{ HEAD "layer: y\n", 3, "key \"layer\" is twice in a catalogue file" },
		{ HEAD "? [a]\n: b\n", 3, "a key in a catalogue file is a list, a word is needed" },
		{ HEAD "<<: {title: y}\n", 3, "unknown key \"<<\"" },
		{ HEAD "\"a\\nb\\e[31m\": c\n", 3, "unknown key \"a?b?[31m\"" },
		{ "layer: \"x\\0\"\n", 1, "layer has a NUL byte" },
		{ "layer: x\nlibraries: []\nfunctions: []\n", 2, "libraries is empty" },
		{ "layer: x\nlibraries: liba.so\nrecognize: {}\nfunctions: []\n", 3,
		  "recognize has no exports, name symbols that the library alone exports" },
		{ "layer: x\nlibraries: liba.so\nrecognize: {exports: []}\nfunctions: []\n", 3,
		  "exports is a list of 1 to 16 names of symbols" },
		{ "layer: x\nlibraries: liba.so\nrecognize: {exports: [a_*]}\nfunctions: []\n", 3,
		  "exports has \"a_*\", give whole names of symbols, without version" },
		{ "layer: x\nlibraries: liba.so\nrecognize: {imports: [a]}\nfunctions: []\n", 3,
		  "imports" },
		{ "layer: x\nlibraries:\n  - a\n  - [b]\nfunctions: []\n", 4,
		  "libraries is a list, a single value" },
		{ "layer: x\nlibraries: {a: b}\nfunctions: []\n", 2, "libraries is a mapping" },
		{ "layer: x\nlibraries: [/usr/lib/liba.so]\nfunctions: []\n", 2,
		  "libraries has the path \"/usr/lib/liba.so\"" },
		{ HEAD "title: [x]\nfunctions: []\n", 3, "title is a list" },
		{ HEAD "defaults: [x]\nfunctions: []\n", 3, "defaults is a list, a mapping" },
		{ HEAD "defaults:\n  size: arg1\nfunctions: []\n", 4,
		  "unknown key \"size\" in defaults, known are: fail, returns, enabled, only" },
	};

	(void)state;
	EXPECT_ERRORS(bad);
}

static void test_bad_functions(void **state)
{
	static const struct bad bad[] = {
		{ FUNCS "  - a\n", 4, "a function is a single value, a mapping" },
		{ FUNCS "  - [a]\n", 4, "a function is a list, a mapping" },
		{ FUNCS "  - {}\n", 4, "a function has no name" },
		{ FUNCS "  - size: arg1\n", 4, "a function has no name" },
		{ FUNCS "  - name: []\n", 4, "a function has no name" },
		{ FUNCS "  - name:\n", 4, "name is empty" },
		{ FUNCS "  - name: a b\n", 4, "name \"a b\" is neither a symbol nor a pattern" },
		{ FUNCS "  - name: [a,\n     9b]\n", 5, "name \"9b\" is neither a symbol" },
		{ FUNCS "  - name: f@GLIBC_2.2\n", 4, "name \"f@GLIBC_2.2\" is neither" },
		{ FUNCS "  - name: {a: b}\n", 4, "name is a mapping" },
		{ FUNCS "  - name: a\n    siez: arg1\n", 5,
		  "unknown key \"siez\" in a function, known are: name, size, object, fail, "
		  "returns, calls_back, addb2, access, enabled, only" },
		{ FUNCS "  - name: a\n    name: b\n", 5, "key \"name\" is twice in a function" },
		{ FUNCS "  - name: a\n  - name: b\n  - name: a\n", 6,
		  "function \"a\" is already there in line 4" },
		{ FUNCS "  - name: [a,\n     b,\n     a]\n", 6, "already there in line 4" },
		{ FUNCS "  - name: \"a*\"\n  - name: \"a*\"\n", 5, "function \"a*\" is already" },
		{ FUNCS "  - {name: a, only: b}\n  - {name: a, only: [b]}\n", 5, "already there" },
		{ FUNCS "  - name: a\n    enabled: yes\n", 5,
		  "enabled is \"yes\", true or false is needed" },
		{ FUNCS "  - name: a\n    enabled: [true]\n", 5, "enabled is a list" },
		{ FUNCS "  - name: a\n    only: []\n", 5, "only is empty" },
		{ FUNCS "  - name: a\n    only: /lib/x.so\n", 5,
		  "only has the path \"/lib/x.so\"" },
		{ FUNCS "  - name: a\n    fail: sometimes\n", 5,
		  "fail is \"sometimes\", known are: never, negative-errno" },
		{ FUNCS "  - name: a\n    fail: {}\n", 5, "fail is a mapping" },
		{ FUNCS "  - name: a\n    access: both\n", 5,
		  "access is \"both\", known are: read, write" },
		{ FUNCS "  - name: a\n    access: []\n", 5, "access is a list" },
		{ FUNCS "  - name: a\n    returns: int\n", 5,
		  "returns is \"int\", known are: void, u8, s32" },
		{ FUNCS "  - name: a\n    returns: []\n", 5, "returns is a list" },
		{ FUNCS "  - name: a\n    addb2: pull\n", 5,
		  "addb2 is \"pull\", known are: consume, add, push, pop, modify" },
		{ FUNCS "  - name: a\n    addb2: []\n", 5, "addb2 is a list" },
		{ FUNCS "  - name: a\n    brief: maybe\n", 5,
		  "brief is \"maybe\", known are: full, count, none" },
		{ FUNCS "  - name: a\n    brief: {}\n", 5, "brief is a mapping" },
		{ FUNCS "  - name: a\n    returns: void\n    fail: null\n", 4,
		  "returns void and cannot fail" },
		{ FUNCS "  - name: a\n    returns: void\n    size: return\n", 4,
		  "size is the return value of a function that returns void" },
		{ FUNCS "  - name: a\n    returns: u64\n    fail: negative\n", 4,
		  "fail asks for a negative value of an unsigned type" },
		{ FUNCS "  - name: a\n    object: arg1\n", 5, "object is a single value" },
		{ FUNCS "  - name: a\n    object: {}\n", 5, "object needs exactly one of" },
		{ FUNCS "  - name: a\n    object: {value: arg1, u128: arg2}\n", 5,
		  "object needs exactly one of" },
		{ FUNCS "  - name: a\n    object: {uuid: arg1}\n", 5,
		  "unknown key \"uuid\" in object, known are: value, u128, u128be, string" },
		{ FUNCS "  - name: a\n    object: {value: 7}\n", 5,
		  "object is the constant \"7\"" },
		{ FUNCS "  - name: a\n    object: {string: argv}\n", 5,
		  "bad operand \"argv\" in object" },
	};

	(void)state;
	EXPECT_ERRORS(bad);
}

#define SIZE(s) FUNCS "  - name: a\n    size: " s "\n"

static void test_bad_sizes(void **state)
{
	static const struct bad bad[] = {
		{ SIZE(""), 5, "size is empty" },
		{ SIZE("[arg1, arg2]"), 5, "size is of no known kind" },
		{ SIZE("{}"), 5, "size is of no known kind" },
		{ SIZE("{total: arg1}"), 5, "size is of no known kind" },
		{ SIZE("argument"), 5, "bad operand \"argument\" in size, it does not begin" },
		{ SIZE("arg0"), 5, "arguments are arg1 to arg14" },
		{ SIZE("arg15"), 5, "arguments are arg1 to arg14" },
		{ SIZE("arg99999999999999999999"), 5, "arguments are arg1 to arg14" },
		{ SIZE("arg3.int"), 5, "types are u8, u16" },
		{ SIZE("arg3.u24"), 5, "types are u8, u16" },
		{ SIZE("arg3.u644"), 5, "something follows" },
		{ SIZE("arg3 arg4"), 5, "something follows" },
		{ SIZE("arg3+"), 5, "a number is missing" },
		{ SIZE("arg3+-1"), 5, "a number is missing" },
		{ SIZE("arg3+0x"), 5, "a number is missing" },
		{ SIZE("\"[arg3+4294967296]\""), 5, "larger than 2147483647" },
		{ SIZE("\"[arg3\""), 5, "the bracket holds an argument and an offset" },
		{ SIZE("\"[arg3.u32]\""), 5, "the bracket holds an argument and an offset" },
		{ SIZE("\"[8]\""), 5, "it does not begin with arg1" },
		{ SIZE("\"[]\""), 5, "it does not begin with arg1" },
		{ SIZE("\"[arg1]]\""), 5, "something follows" },
		{ SIZE("-1"), 5, "it does not begin with arg1" },
		{ SIZE("99999999999"), 5, "larger than 2147483647" },
		{ SIZE("{product: arg1}"), 5, "product needs a list of two" },
		{ SIZE("{product: [arg1]}"), 5, "product needs a list of two" },
		{ SIZE("{product: [arg1, arg2, arg3]}"), 5, "product needs a list of two" },
		{ SIZE("{product: [arg1, x]}"), 5, "bad operand \"x\" in product" },
		{ SIZE("{product: [arg1, arg2], count: 3}"), 5,
		  "unknown key \"count\" in a size of this kind, known are: product" },
		{ SIZE("{delta: arg1}"), 5, "delta is \"arg1\", only memory changes" },
		{ SIZE("{after: 8}"), 5, "after is \"8\", only memory changes" },
		{ SIZE("{after: [arg1]}"), 5, "after is a list" },
		{ SIZE("{sum: arg1}"), 5, "has no count" },
		{ SIZE("{sum: arg1, count: arg2}"), 5, "has no stride" },
		{ SIZE("{sum: 8, count: arg2, stride: 8}"), 5, "sum is the constant \"8\"" },
		{ SIZE("{sum: arg1, count: n, stride: 8}"), 5, "bad operand \"n\" in count" },
		{ SIZE("{sum: arg1, count: arg2, stride: x}"), 5, "stride is \"x\", a number" },
		{ SIZE("{sum: arg1, count: arg2, stride: 4}"), 5, "a number from 8 to 65535" },
		{ SIZE("{sum: arg1, count: arg2, stride: 65536}"), 5, "a number from 8 to 65535" },
		{ SIZE("{sum: arg1, count: arg2, stride: 8, offset: 4}"), 5,
		  "offset is \"4\", a number from 0 to 0" },
		{ SIZE("{sum: arg1, count: arg2, stride: 8, offset: -1}"), 5, "offset is \"-1\"" },
		{ SIZE("{sum: arg1, count: arg2, stride: 8, offset: []}"), 5,
		  "offset has 0 numbers" },
		{ SIZE("{sum: arg1, count: arg2, stride: 32, offset: [8, 8]}"), 5,
		  "offset is \"8\", a number from 9 to 24" },
		{ SIZE("{sum: arg1, count: arg2, stride: 32, offset: [0, 8, 16]}"), 5,
		  "offset has 3 numbers" },
		{ SIZE("{sum: arg1, count: arg2, stride: 8, width: 6}"), 5, "width is 6, 4 or 8" },
		{ SIZE("{sum: arg1, count: arg2, stride: 8, width: 2}"), 5, "width is \"2\"" },
		{ SIZE("{sum: arg1, count: arg2, stride: 8, when: late}"), 5,
		  "when is \"late\", known is: complete" },
		{ SIZE("{sum: arg1, count: arg2, stride: 8, when: complete}"), 4, "set launches" },
		{ SIZE("{sum: arg1, count: arg2, stride: 8, delta: arg2}"), 5,
		  "unknown key \"delta\" in a size of kind sum" },
	};

	(void)state;
	EXPECT_ERRORS(bad);
}

/* Long texts are cut in messages, aliases cannot multiply without bound. */
static void test_bounds(void **state)
{
	char *text = NULL, name[1100];
	size_t len;
	FILE *out;

	(void)state;
	memset(name, 'a', sizeof(name));
	assert_true(asprintf(&text, FUNCS "  - name: %.*s\n", (int)sizeof(name), name) > 0);
	expect_error(text, strlen(text), 4, "...\" is longer than 1024 characters");
	free(text);

	out = open_memstream(&text, &len);
	fputs(HEAD "title: x\nfunctions:\n  - name: &n [", out);
	for (int i = 0; i < 1000; i++)
		fprintf(out, "f%d,", i);
	fputs("]\n", out);
	for (int i = 0; i < 1000; i++)
		fprintf(out, "  - {name: *n, only: l%d}\n", i);
	fclose(out);
	expect_error(text, len, 5, "more than 16384 functions in one file");
	free(text);

	out = open_memstream(&text, &len);
	fputs("layer: x\nlibraries:\n", out);
	for (int i = 0; i < 65; i++)
		fprintf(out, "  - l%d\n", i);
	fputs("functions: []\n", out);
	fclose(out);
	expect_error(text, len, 3, "libraries has more than 64 patterns");
	free(text);
}

static void test_large_and_unusual_files(void **state)
{
	char dir[] = "/tmp/test_catalogue.XXXXXX", path[64];
	const char *const paths[] = { path };
	const char *const folder[] = { dir };
	struct catalogue *cat = NULL;
	struct error err = { 0 };

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/a.yaml", dir);
	assert_int_equal(catalogue__load(&cat, NULL, paths, 1, &err), -ENOENT);
	check_message(&err, -ENOENT);
	assert_non_null(strstr(err.text, "a.yaml: cannot be opened, No such file"));

	assert_int_equal(catalogue__load(&cat, NULL, folder, 1, &err), -ENOENT);
	check_message(&err, -ENOENT);
	assert_non_null(strstr(err.text, ": no *.yaml file in this folder"));

	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(catalogue__load(&cat, NULL, paths, 1, &err), -EINVAL);
	assert_non_null(strstr(err.text, "a.yaml: not a regular file"));
	assert_int_equal(unlink(path), 0);

	assert_int_equal(close(creat(path, 0600)), 0);
	assert_int_equal(truncate(path, (1 << 20) + 1), 0);
	assert_int_equal(catalogue__load(&cat, NULL, paths, 1, &err), -EFBIG);
	check_message(&err, -EFBIG);
	assert_non_null(strstr(err.text, "a.yaml: larger than 1048576 bytes"));

	assert_int_equal(chmod(path, 0), 0);
	if (geteuid() == 0) /* who may read everything */
		assert_int_equal(seteuid(65534), 0);
	assert_int_equal(catalogue__load(&cat, NULL, paths, 1, &err), -EACCES);
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
	assert_non_null(strstr(err.text, "a.yaml: cannot be opened, Permission denied"));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
	assert_null(cat);
}

static void test_second_text_error_frees_the_first(void **state)
{
	const struct catalogue_text texts[] = {
		{ "a.yaml", FUNCS "  - name: a\n", strlen(FUNCS "  - name: a\n") },
		{ "b.yaml", "layer: x\nfunctions: 1\n", strlen("layer: x\nfunctions: 1\n") },
	};
	struct catalogue *cat = NULL;
	struct error err = { 0 };

	(void)state;
	assert_int_equal(catalogue__load_texts(&cat, texts, 2, &err), -EINVAL);
	assert_int_equal(strncmp(err.text, "b.yaml:2: functions", 19), 0);
	assert_null(cat);
	assert_int_equal(catalogue__load_texts(&cat, texts, 2, NULL), -EINVAL);
}

static void test_limits_of_memory_texts(void **state)
{
	const struct catalogue_text large = { "l.yaml", "", (1 << 20) + 1 };
	struct catalogue *cat = NULL;
	struct error err = { 0 };

	(void)state;
	assert_int_equal(catalogue__load_texts(&cat, &large, 1, &err), -EFBIG);
	check_message(&err, -EFBIG);
	assert_null(cat);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_documents),
		cmocka_unit_test(test_bad_top),
		cmocka_unit_test(test_bad_functions),
		cmocka_unit_test(test_bad_sizes),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_large_and_unusual_files),
		cmocka_unit_test(test_second_text_error_frees_the_first),
		cmocka_unit_test(test_limits_of_memory_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
