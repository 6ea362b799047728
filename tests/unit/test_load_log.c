// SPDX-License-Identifier: GPL-2.0-only
/* What libbpf says, as it does: a format and its arguments, piece by piece. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <bpf/libbpf.h>

#include "kernel/load_log.h"

static __attribute__((format(printf, 2, 3))) void say(libbpf_print_fn_t print, const char *format,
						      ...)
{
	va_list args;

	va_start(args, format);
	print(LIBBPF_WARN, format, args);
	va_end(args);
}

static libbpf_print_fn_t begin(void **state)
{
	(void)state;
	load_log__begin();
	return libbpf_set_print(NULL);
}

static void test_nothing(void **state)
{
	libbpf_print_fn_t print = begin(state);

	/* No right to load: the verifier was never asked. */
	say(print, "libbpf: prog '%s': failed to load: %d\n", "syscall_exit", -1);
	assert_null(load_log__lacking());
	assert_null(load_log__refused());
}

static void test_refused(void **state)
{
	libbpf_print_fn_t print = begin(state);

	say(print, "libbpf: prog '%s': -- BEGIN PROG LOAD LOG --\n%s-- END PROG LOAD LOG --\n",
	    "syscall_exit", "combined stack size of 8 calls is 544. Too large\n");
	say(print, "libbpf: prog '%s': -- BEGIN PROG LOAD LOG --\n", "later");
	assert_string_equal(load_log__refused(), "syscall_exit");
	load_log__begin();
	assert_null(load_log__refused());
}

static void test_lacking(void **state)
{
	libbpf_print_fn_t print = begin(state);

	say(print, "failed to resolve CO-RE relocation <byte_off> [%d] %s (0:1 @ offset 8)\n", 262,
	    "struct io_kiocb.opcode");
	assert_string_equal(load_log__lacking(), "struct io_kiocb.opcode");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_lacking),
	};

	return cmocka_run_group_tests_name("load_log", tests, NULL, NULL);
}
