// SPDX-License-Identifier: GPL-2.0-only
/* Where functions have their return addresses, as unwind tables say: hand-made ones, and libc's. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "elf/callers.h"
#include "elf/elf_file.h"
#include "elf/elf_unwind.h"

#define START 0x1000

/* As compilers write them: code in steps of 1, the return address in register 16. */
static const unsigned char common[] = {
	0x14, 0, 0, 0,	  0,  0, 0,    0,    1, 'z',
	'R',  0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, /* def_cfa: 8 above the stack pointer */
	0x90, 1, 0, 0,				   /* offset of the return address */
};

/* A table of one function of 64 bytes, whose program is this. */
static __u64 caller(const unsigned char *program, size_t n, __u64 address)
{
	const __u32 length = (__u32)(4 + 8 + 1 + n), back = sizeof(common) + 4, size = 64;
	const __u64 frames_address = 0x8000;
	unsigned char table[8], *frames = malloc(sizeof(common) + 4 + length);
	struct elf_unwind unwind = {
		.table = table,
		.n = 1,
		.frames = frames,
		.frames_size = sizeof(common) + 4 + length,
		.frames_address = frames_address,
	};
	const __s32 start = START, at = (__s32)(frames_address + sizeof(common));
	const __s32 begin = START - (at + 8);
	unsigned char *to = frames + sizeof(common);
	__u64 answer;

	assert_non_null(frames);
	memcpy(table, &start, 4);
	memcpy(table + 4, &at, 4);
	memcpy(frames, common, sizeof(common));
	memcpy(to, &length, 4);
	memcpy(to + 4, &back, 4);
	memcpy(to + 8, &begin, 4);
	memcpy(to + 12, &size, 4);
	to[16] = 0;
	memcpy(to + 17, program, n);
	answer = elf_unwind__caller(&unwind, address);
	free(frames);
	return answer;
}

static void test_rules(void **state)
{
	static const unsigned char pushes[] = {
		0x44, 0x0e, 16,		   /* from 4 on: 16 above */
		0x86, 2,		   /* a register is saved */
		0x02, 8,    0x0e, 0x80, 1, /* from 12 on: 128 */
		0x0a, 0x48, 0x0e, 8,	   /* remembered; from 20 on: 8 */
		0x44, 0x0b,		   /* from 24 on as remembered */
		0x44, 0x0d, 6,		   /* from 28 on: of the frame pointer */
		0x44, 0x0c, 7,	  24,	   /* from 32 on: 24 */
		0x44, 0x0f, 2,	  0x77, 8, /* from 36 on: an expression */
	};
	static const unsigned char unknown[] = { 0x44, 0x3f, 0x0e, 16 };
	static const unsigned char cut[] = { 0x0e, 0x80 };
	static const unsigned char underflow[] = { 0x0b };
	const struct {
		__u64 at, above;
	} wanted[] = { { 0, 8 },    { 3, 8 },  { 4, 16 },  { 11, 16 }, { 12, 128 }, { 20, 8 },
		       { 24, 128 }, { 28, 0 }, { 32, 24 }, { 36, 0 },  { 63, 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		assert_int_equal(caller(pushes, sizeof(pushes), START + wanted[i].at),
				 wanted[i].above);
	assert_int_equal(caller(pushes, sizeof(pushes), START - 1), 0);
	assert_int_equal(caller(pushes, sizeof(pushes), START + 64), 0);
	assert_int_equal(caller(unknown, sizeof(unknown), START + 2), 8);
	assert_int_equal(caller(unknown, sizeof(unknown), START + 8), 0);
	assert_int_equal(caller(cut, sizeof(cut), START), 0);
	assert_int_equal(caller(underflow, sizeof(underflow), START), 0);
}

/* At a function's first instruction nothing has been pushed. */
static void test_libc(void **state)
{
	size_t asked = 0, answered = 0;
	struct callers *callers;
	struct elf_file *elf;
	struct error err;
	Dl_info info;

	(void)state;
	assert_true(dladdr((void *)(uintptr_t)dlsym(RTLD_DEFAULT, "write"), &info) != 0);
	assert_int_equal(elf_file__open(&elf, info.dli_fname, &err), 0);
	assert_int_equal(callers__open(&callers, info.dli_fname, &err), 0);
	for (size_t i = 0; i < elf_file__n_functions(elf); i++) {
		const struct elf_function *function = elf_file__function(elf, i);
		__s64 back = callers__back_at(callers, function->offset);

		asked++;
		answered += back == 0;
		assert_true(back <= 0);
	}
	assert_true(asked > 1000 && answered > asked * 9 / 10);
	assert_int_equal(callers__back_at(callers, 0), -1);
	assert_int_equal(callers__back_at(callers, ~0ULL), -1);
	callers__close(callers);
	elf_file__close(elf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_libc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
