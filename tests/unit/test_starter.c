// SPDX-License-Identifier: GPL-2.0-only
/* Who can execute a program, or load a library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "elf/starter.h"
#include "elf_sample.h"

static void test_libraries(void **state)
{
	char path[ELF_SAMPLE_PATH], *name;
	struct error err;

	(void)state;
	elf_sample__libc(path);
	assert_int_equal(starter__is(path, &err), 1);
	name = strstr(path, "libc.so");
	memcpy(name, "libm.so", strlen("libm.so"));
	if (access(path, R_OK))
		skip();
	assert_int_equal(starter__is(path, &err), 0);
}

static void test_none(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(starter__is("/nonexistent/program", &err), -ENOENT);
	assert_int_equal(starter__is("/dev/null", &err), -ENOEXEC);
	assert_int_equal(starter__is("/proc/self/status", &err), -ENOEXEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libraries),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
