// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where functions with jumps through tables return: functions of this program itself, as compilers
 * make them and as they never would. None is ever called.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "elf/exits.h"
#include "kernel/uprobe.h"

#define FUNCTION(name, body)                                                           \
	".globl " name "\n.type " name ", @function\n" name ":\n.cfi_startproc\n" body \
	".cfi_endproc\n.size " name ", . - " name "\n"

/* A table of distances to three places of a function that return, 1: to 3:, and of one more. */
#define TABLE_OF_FOUR(name, section, fourth)                                         \
	".section " section "\n.balign 4\n" name ": .long 1f - " name ", 2f - " name \
	", 3f - " name ", " fourth " - " name "\n.text\n"
#define TABLE(name) TABLE_OF_FOUR(name, ".rodata", "2f")
#define PLACES	    "1: ret\n2: nop\nret\n3: nop\nnop\nret\n9: ret\n"
#define JUMP(table)                                                               \
	"lea " table "(%rip), %rdx\nmovslq (%rdx,%rdi,4), %rax\nadd %rdx, %rax\n" \
	"jmp *%rax\n"

/* Tables that are told: all have the four ways out of PLACES. */
__asm__(TABLE("table_gcc") FUNCTION("tables_gcc", "cmp $3, %edi\nja 9f\nmov %edi, %edi\n" //
				    JUMP("table_gcc") PLACES));
__asm__(TABLE("table_notrack")
		FUNCTION("tables_notrack", "cmp $3, %edi\nja 9f\nmov %edi, %edi\n"
					   "lea table_notrack(%rip), %rdx\n"
					   "movslq (%rdx,%rdi,4), %rax\nadd %rdx, %rax\n"
					   "notrack jmp *%rax\n" PLACES));
/* The number is moved before it is compared, and the other way round. */
__asm__(TABLE("table_copy") FUNCTION("tables_copy", "mov %edi, %eax\ncmp $4, %edi\njae 9f\n"
						    "lea table_copy(%rip), %rcx\n"
						    "movslq (%rcx,%rax,4), %rsi\nadd %rsi, %rcx\n"
						    "jmp *%rcx\n" PLACES));
__asm__(TABLE("table_mask") FUNCTION("tables_mask", "test %esi, %esi\nje 9f\nand $3, %edi\n" //
				     JUMP("table_mask") PLACES));
__asm__(TABLE("table_byte")
		FUNCTION("tables_byte", "movzbl (%rsi), %eax\nsub $0x30, %eax\ncmp $3, %al\nja 9f\n"
					"movzbl %al, %edi\n" JUMP("table_byte") PLACES));
__asm__(TABLE("table_memory")
		FUNCTION("tables_memory", "cmpl $3, 8(%rsi)\nmov %rax, 16(%rsi)\nja 9f\n"
					  "mov 8(%rsi), %edi\n" JUMP("table_memory") PLACES));
/* The table's address is loaded before a loop, and calls lie between. */
__asm__(TABLE("table_loop")
		FUNCTION("tables_loop", "lea table_loop(%rip), %rbx\n5: call tables_gcc\n"
					"cmp $3, %rax\nja 9f\n"
					"movslq (%rbx,%rax,4), %rax\nadd %rbx, %rax\njmp *%rax\n"
					"1: ret\n2: cmp $1, %esi\nje 5b\nret\n"
					"3: nop\nnop\nret\n9: ret\n"));
/* Jumps between comparison and jump that bring a number as small. */
__asm__(TABLE("table_meet")
		FUNCTION("tables_meet", "test %esi, %esi\nje 4f\ncmp $3, %edi\nja 9f\njmp 5f\n"
					"4: mov $2, %edi\n5: mov %edi, %edi\n" //
			 JUMP("table_meet") PLACES));

/* Tables whose size is not certain. */
__asm__(TABLE("table_free") FUNCTION("tables_free", JUMP("table_free") PLACES));
__asm__(TABLE("table_signed")
		FUNCTION("tables_signed", "cmp $3, %edi\njg 9f\nmovslq %edi, %rdi\n" //
			 JUMP("table_signed") PLACES));
__asm__(TABLE("table_wide") FUNCTION("tables_wide", "cmp $3, %edi\nja 9f\n" //
				     JUMP("table_wide") PLACES));
__asm__(TABLE("table_changed") FUNCTION("tables_changed", "cmp $3, %edi\nja 9f\nadd $1, %edi\n" //
					JUMP("table_changed") PLACES));
__asm__(TABLE("table_flags")
		FUNCTION("tables_flags", "mov %edi, %edi\ncmp $3, %edi\ntest %esi, %esi\nja 9f\n" //
			 JUMP("table_flags") PLACES));
__asm__(TABLE("table_joined")
		FUNCTION("tables_joined", "mov %edi, %edi\ntest %esi, %esi\nje 5f\n"
					  "cmp $3, %edi\nja 9f\n5: " JUMP("table_joined") PLACES));
/* A case leads back with another number. */
__asm__(TABLE("table_back") FUNCTION("tables_back", "mov %edi, %edi\ncmp $3, %edi\nja 9f\n5: " //
				     JUMP("table_back") "1: ret\n2: mov (%rsi), %edi\njmp 5b\n"
							"3: ret\n9: ret\n"));
__asm__(TABLE("table_stored")
		FUNCTION("tables_stored", "cmpl $3, 8(%rsi)\nja 9f\nmov %eax, (%rcx)\n"
					  "mov 8(%rsi), %edi\n" JUMP("table_stored") PLACES));
__asm__(TABLE("table_part") FUNCTION("tables_part", "cmp $3, %dil\nja 9f\nmov %edi, %edi\n" //
				     JUMP("table_part") PLACES));
__asm__(TABLE("table_called") FUNCTION("tables_called",
				       "cmp $3, %edi\nja 9f\nmov %edi, %edi\ncall tables_gcc\n" //
				       JUMP("table_called") PLACES));

/* Tables that cannot be believed: written to, or leading out of the function. */
__asm__(TABLE_OF_FOUR("table_data", ".data", "2f")
		FUNCTION("tables_data", "cmp $3, %edi\nja 9f\nmov %edi, %edi\n" //
			 JUMP("table_data") PLACES));
__asm__(TABLE_OF_FOUR("table_out", ".rodata", "tables_gcc")
		FUNCTION("tables_out", "cmp $3, %edi\nja 9f\nmov %edi, %edi\n" //
			 JUMP("table_out") PLACES));
__asm__(TABLE_OF_FOUR("table_no_code", ".rodata", "table_no_code")
		FUNCTION("tables_no_code", "cmp $3, %edi\nja 9f\nmov %edi, %edi\n" //
			 JUMP("table_no_code") PLACES));
/* Another table than the one whose address is added; and no table at all. */
__asm__(TABLE("table_other") FUNCTION("tables_other", "cmp $3, %edi\nja 9f\nmov %edi, %edi\n"
						      "lea table_other(%rip), %rdx\n"
						      "lea table_gcc(%rip), %rcx\n"
						      "movslq (%rdx,%rdi,4), %rax\nadd %rcx, %rax\n"
						      "jmp *%rax\n" PLACES));

#define TOLD(name)          \
	{                   \
#name, name \
	}
#define DECLARE(name) extern const char name[]
DECLARE(tables_gcc);
DECLARE(tables_notrack);
DECLARE(tables_copy);
DECLARE(tables_mask);
DECLARE(tables_byte);
DECLARE(tables_memory);
DECLARE(tables_loop);
DECLARE(tables_meet);
DECLARE(tables_free);
DECLARE(tables_signed);
DECLARE(tables_wide);
DECLARE(tables_changed);
DECLARE(tables_flags);
DECLARE(tables_joined);
DECLARE(tables_back);
DECLARE(tables_stored);
DECLARE(tables_part);
DECLARE(tables_called);
DECLARE(tables_data);
DECLARE(tables_out);
DECLARE(tables_no_code);
DECLARE(tables_other);

struct function {
	const char *name, *code;
};

static struct exits *exits;

static int open_exits(void **state)
{
	struct elf_file *elf;
	struct error err;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(elf_file__open_fd(&elf, fd, "self", &err), 0);
	assert_int_equal(exits__open(&exits, fd, elf, "self", &err), 0);
	close(fd);
	*state = elf;
	return 0;
}

static int close_exits(void **state)
{
	exits__close(exits);
	elf_file__close(*state);
	return 0;
}

static void test_told(void **state)
{
	static const struct function functions[] = {
		TOLD(tables_gcc),  TOLD(tables_notrack), TOLD(tables_copy), TOLD(tables_mask),
		TOLD(tables_byte), TOLD(tables_memory),	 TOLD(tables_loop), TOLD(tables_meet),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		struct exits_found found = { 0 };
		const char *why = exits__find(exits, uprobe__own_offset(functions[i].code), &found);

		if (why || found.n != 4 || found.tail_calls)
			fail_msg("%s: %s, %zu ways out", functions[i].name, why ?: "told", found.n);
	}
}

static void expect(const struct function *functions, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++) {
		struct exits_found found = { 0 };
		const char *why = exits__find(exits, uprobe__own_offset(functions[i].code), &found);

		if (!why || !strstr(why, text))
			fail_msg("%s: %s", functions[i].name, why ?: "told");
	}
}

static void test_size_not_certain(void **state)
{
	static const struct function functions[] = {
		TOLD(tables_free),  TOLD(tables_signed), TOLD(tables_wide), TOLD(tables_changed),
		TOLD(tables_flags), TOLD(tables_joined), TOLD(tables_back), TOLD(tables_stored),
		TOLD(tables_part),  TOLD(tables_called),
	};

	(void)state;
	expect(functions, sizeof(functions) / sizeof(*functions), "size is not certain");
}

static void test_not_believed(void **state)
{
	static const struct function elsewhere[] = {
		TOLD(tables_data),
		TOLD(tables_out),
		TOLD(tables_no_code),
	};
	static const struct function nowhere[] = { TOLD(tables_other) };

	(void)state;
	expect(elsewhere, sizeof(elsewhere) / sizeof(*elsewhere), "leads elsewhere");
	expect(nowhere, sizeof(nowhere) / sizeof(*nowhere), "does not say");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_told),
		cmocka_unit_test(test_size_not_certain),
		cmocka_unit_test(test_not_believed),
	};

	return cmocka_run_group_tests(tests, open_exits, close_exits);
}
