// SPDX-License-Identifier: GPL-2.0-only
/* Where functions return: functions of this program itself, written out so that it is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/exits.h"
#include "kernel/uprobe.h"

#define FUNCTION(name, body)                                                                       \
	".globl " name "\n.type " name ", @function\n" name ":\n" body ".size " name ", . - " name \
	"\n"

__asm__(".text\n" FUNCTION("exits_plain", "push %rbx\n pop %rbx\n exits_plain_ret: ret\n")
		FUNCTION("exits_two", "test %edi, %edi\n je 1f\n exits_two_first: ret\n"
				      "1: nop\n exits_two_second: ret\n")
	/* A part that lies elsewhere, and comes back. */
	".section .text.unlikely, \"ax\", @progbits\n"
	"exits_cold: test %eax, %eax\n je exits_cold_back\n exits_cold_ret: ret\n"
	".text\n" FUNCTION("exits_parts", "test %edi, %edi\n jne exits_cold\n"
					  "exits_cold_back: nop\n exits_parts_ret: ret\n")
		FUNCTION("exits_tail", "test %edi, %edi\n jne exits_plain\n exits_tail_ret: ret\n")
			FUNCTION("exits_endless", "1: jmp 1b\n")
	/* The call is the last instruction: what follows is another function. */
	FUNCTION("exits_aborts", "test %edi, %edi\n jne 1f\n exits_aborts_ret: ret\n"
				 "1: call abort@plt\n") FUNCTION("exits_after", "nop\n ret\n")
	/* The same, where the callee is not known for it. */
	FUNCTION("exits_ends_in_call", "test %edi, %edi\n jne 1f\n exits_ends_ret: ret\n"
				       "1: call exits_endless\n")
		FUNCTION("exits_after_too", "nop\n ret\n") FUNCTION("exits_register", "jmp *%rax\n")
			FUNCTION("exits_elsewhere", "jmp abort@plt\n")
				FUNCTION("exits_pops", "ret $8\n")
					FUNCTION("exits_no_code", "nop\n .byte 0x06\n"));

/* The constants of these instructions are `ret` instructions for whoever jumps there. */
__asm__(FUNCTION("exits_overlap",
		 "test %edi, %edi\n je 1f + 1\n 1: mov $0xc3c3c3c3, %eax\n ret\n"));
__asm__(FUNCTION(
	"exits_host",
	".cfi_startproc\n 1: mov $0xc3c3c3c3, %eax\n ret\n .cfi_endproc\n") ".globl "
									    "exits_guest\n.type "
									    "exits_guest, "
									    "@function\nexits_"
									    "guest = exits_host + "
									    "1\n"
									    ".size exits_guest, "
									    "1\n");
__asm__(FUNCTION("exits_bare_host",
		 "mov $0xc3c3c3c3, %eax\n ret\n") ".globl exits_bare_guest\n.type "
						  "exits_bare_guest, @function\n"
						  "exits_bare_guest = exits_bare_host + 2\n.size "
						  "exits_bare_guest, 1\n");
__asm__(FUNCTION("exits_into_host", "jmp exits_host + 1\n"));

/* As the linker knows them; none is ever called. */
extern const char exits_overlap[], exits_host[], exits_guest[], exits_bare_guest[],
	exits_into_host[];
extern const char exits_plain[], exits_plain_ret[], exits_two[], exits_two_first[],
	exits_two_second[], exits_parts[], exits_parts_ret[], exits_cold_ret[], exits_tail[],
	exits_tail_ret[], exits_endless[], exits_aborts[], exits_aborts_ret[], exits_ends_in_call[],
	exits_ends_ret[], exits_register[], exits_elsewhere[], exits_pops[], exits_no_code[];

struct fixture {
	struct elf_file *elf;
	struct exits *exits;
};

static int open_fixture(void **state)
{
	static struct fixture fixture;
	struct error err;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(elf_file__open_fd(&fixture.elf, fd, "self", &err), 0);
	assert_int_equal(exits__open(&fixture.exits, fd, fixture.elf, "self", &err), 0);
	close(fd);
	*state = &fixture;
	return 0;
}

static int close_fixture(void **state)
{
	struct fixture *fixture = *state;

	exits__close(fixture->exits);
	elf_file__close(fixture->elf);
	return 0;
}

static bool has(const struct exits_found *found, const char *label)
{
	for (size_t i = 0; i < found->n; i++)
		if (found->offsets[i] == uprobe__own_offset(label))
			return true;
	return false;
}

static struct exits_found find(void **state, const char *function)
{
	struct fixture *fixture = *state;
	struct exits_found found = { 0 };

	assert_null(exits__find(fixture->exits, uprobe__own_offset(function), &found));
	return found;
}

static void expect_refusal(void **state, const char *function, const char *text)
{
	struct fixture *fixture = *state;
	struct exits_found found;
	const char *why = exits__find(fixture->exits, uprobe__own_offset(function), &found);

	assert_non_null(why);
	assert_non_null(strstr(why, text));
}

static void test_one(void **state)
{
	struct exits_found found = find(state, exits_plain);

	assert_int_equal(found.n, 1);
	assert_true(has(&found, exits_plain_ret));
	assert_false(found.tail_calls);
}

static void test_two_in_order(void **state)
{
	struct exits_found found = find(state, exits_two);

	assert_int_equal(found.n, 2);
	assert_true(has(&found, exits_two_first) && has(&found, exits_two_second));
	assert_true(found.offsets[0] < found.offsets[1]);
}

static void test_part_elsewhere(void **state)
{
	struct exits_found found = find(state, exits_parts);

	assert_int_equal(found.n, 2);
	assert_true(has(&found, exits_cold_ret) && has(&found, exits_parts_ret));
	assert_false(found.tail_calls);
}

static void test_tail_call(void **state)
{
	struct exits_found found = find(state, exits_tail);

	assert_int_equal(found.n, 2);
	assert_true(has(&found, exits_plain_ret) && has(&found, exits_tail_ret));
	assert_true(found.tail_calls);
}

static void test_endless(void **state)
{
	assert_int_equal(find(state, exits_endless).n, 0);
}

static void test_call_that_never_returns(void **state)
{
	struct exits_found found = find(state, exits_aborts);

	assert_int_equal(found.n, 1);
	assert_true(has(&found, exits_aborts_ret));
	found = find(state, exits_ends_in_call);
	assert_int_equal(found.n, 1);
	assert_true(has(&found, exits_ends_ret));
}

static void test_refused(void **state)
{
	expect_refusal(state, exits_register, "does not say");
	expect_refusal(state, exits_elsewhere, "another file");
	expect_refusal(state, exits_pops, "does not say");
	expect_refusal(state, exits_no_code, "no instructions");
}

/* In the middle of an instruction, whoever leads there. */
static void test_overlap(void **state)
{
	assert_int_equal(find(state, exits_host).n, 1);
	expect_refusal(state, exits_overlap, "overlap");
	expect_refusal(state, exits_guest, "overlap");
	expect_refusal(state, exits_bare_guest, "overlap");
	expect_refusal(state, exits_into_host, "overlap");
}

/* Whatever the offset: an answer, and no crash. */
static void test_any_offset(void **state)
{
	struct fixture *fixture = *state;
	struct exits_found found;
	__u64 start = uprobe__own_offset(exits_plain);

	for (__u64 i = 0; i < 4096; i++)
		exits__find(fixture->exits, start - 2048 + i, &found);
	assert_non_null(exits__find(fixture->exits, ~0ULL, &found));
	assert_non_null(exits__find(fixture->exits, 1ULL << 40, &found));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_two_in_order),
		cmocka_unit_test(test_part_elsewhere),
		cmocka_unit_test(test_tail_call),
		cmocka_unit_test(test_endless),
		cmocka_unit_test(test_call_that_never_returns),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_any_offset),
	};

	return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
