// SPDX-License-Identifier: GPL-2.0-only
/* The search for a program, also for one that a script names. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "elf/loader.h"
#include "own_folder.h"

static void test_find_program(void **state)
{
	char path[3 * PATH_MAX], *found;
	struct error err;

	(void)state;
	write_file("a/tool", "x", 1, 0644);
	write_file("b/tool", "x", 1, 0755);
	write_file("a/data", "x", 1, 0644);
	snprintf(path, sizeof(path), "/nonexistent:%s:%s", in_folder("a"), in_folder("b"));
	assert_int_equal(loader__find_program("tool", path, &found, &err), 0);
	assert_string_equal(found, in_folder("b/tool"));
	free(found);
	assert_int_equal(loader__find_program("data", path, &found, &err), -EACCES);
	assert_int_equal(loader__find_program("nothing", path, &found, &err), -ENOENT);
	assert_non_null(strstr(err.text, "nothing"));
	assert_int_equal(loader__find_program("", path, &found, &err), -ENOENT);
	assert_int_equal(loader__find_program(in_folder("a"), path, &found, &err), -EACCES);
	assert_int_equal(loader__find_program(in_folder("b/tool"), NULL, &found, &err), 0);
	free(found);
	assert_int_equal(loader__find_program("sh", NULL, &found, &err), 0);
	free(found);
}

static void check_script(const char *text, const char *interpreter)
{
	struct error err;
	char *found;

	write_file("script", text, strlen(text), 0755);
	assert_int_equal(
		loader__find_interpreter(in_folder("script"), in_folder("b"), &found, &err), 0);
	assert_string_equal(found, interpreter);
	free(found);
}

static void test_scripts(void **state)
{
	struct error err;
	char line[PATH_MAX + 16], *found;

	(void)state;
	write_file("b/tool", "x", 1, 0755);
	check_script("#!/bin/sh\necho\n", "/bin/sh");
	check_script("#! \t/bin/sh -e", "/bin/sh");
	check_script("#!/usr/bin/env tool\n", in_folder("b/tool"));
	check_script("#!/usr/bin/env -S A=1 tool -x\n", in_folder("b/tool"));
	check_script("#!/usr/bin/env nothing\n", "/usr/bin/env");
	check_script("#!\n", in_folder("script"));
	check_script("", in_folder("script"));
	/* A script that is its own interpreter, and one whose interpreter is missing. */
	snprintf(line, sizeof(line), "#!%s\n", in_folder("script"));
	write_file("script", line, strlen(line), 0755);
	assert_int_equal(loader__find_interpreter(in_folder("script"), NULL, &found, &err), -ELOOP);
	write_file("script", "#!/nonexistent", 14, 0755);
	assert_int_equal(loader__find_interpreter(in_folder("script"), NULL, &found, &err),
			 -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find_program),
		cmocka_unit_test(test_scripts),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
