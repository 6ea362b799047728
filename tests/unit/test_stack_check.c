// SPDX-License-Identifier: GPL-2.0-only
/* elf/stack_check.h: Go's look at the stack, and what only resembles it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "elf/stack_check.h"
#include "entry_bytes.h"

#define CMP_RSP	 "\x49\x3b\x66\x10"			/* cmp rsp, [r14 + 0x10] */
#define CMP_R12	 "\x4d\x3b\x66\x10"			/* cmp r12, [r14 + 0x10] */
#define LEA_R12	 "\x4c\x8d\xa4\x24\x68\xfe\xff\xff"	/* lea r12, [rsp - 0x198] */
#define FS_RCX	 "\x64\x48\x8b\x0c\x25\xf8\xff\xff\xff" /* mov rcx, fs:[-8] */
#define CMP_ABI0 "\x48\x3b\x61\x10"			/* cmp rsp, [rcx + 0x10] */
#define BODY	 "\x55\xc3"				/* push rbp; ret */
#define SPILL	 "\x48\x89\x44\x24\x08"			/* mov [rsp + 8], rax */
#define CALL	 "\xe8\x00\x01\x00\x00"
#define LOAD	 "\x48\x8b\x44\x24\x08" /* mov rax, [rsp + 8] */

struct sample {
	const char *what;
	const char *code;
	size_t n;
	size_t length;
};

static const struct sample samples[] = {
	{ "Go", CODE(CMP_RSP "\x76\x02" BODY SPILL CALL LOAD "\xeb\xe7"), 6 },
	{ "a large frame", CODE(LEA_R12 CMP_R12 "\x76\x02" BODY CALL "\xeb\xe9"), 14 },
	{ "ABI0", CODE(FS_RCX CMP_ABI0 "\x76\x02" BODY CALL "\xeb\xe8"), 15 },
	{ "no call", CODE(CMP_RSP "\x76\x02" BODY SPILL "\xeb\xf1"), 0 },
	{ "two calls", CODE(CMP_RSP "\x76\x02" BODY CALL CALL "\xeb\xec"), 0 },
	{ "back to another place", CODE(CMP_RSP "\x76\x02" BODY CALL "\xeb\xf3"), 0 },
	{ "a return on the way", CODE(CMP_RSP "\x76\x02" BODY CALL "\xc3"), 0 },
	{ "its end is missing", CODE(CMP_RSP "\x76\x02" BODY CALL), 0 },
	{ "the jump leads out", CODE(CMP_RSP "\x76\x7f" BODY CALL "\xeb\xf1"), 0 },
	{ "another bound",
	  CODE("\x49\x3b\x66\x20"
	       "\x76\x02" BODY CALL "\xeb\xf1"),
	  0 },
	{ "another register",
	  CODE("\x49\x3b\x46\x10"
	       "\x76\x02" BODY CALL "\xeb\xf1"),
	  0 },
	{ "nothing of it", CODE(BODY), 0 },
	{ "no byte", "", 0, 0 },
};

static void test_samples(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		size_t length =
			stack_check__length((const unsigned char *)samples[i].code, samples[i].n);

		if (length != samples[i].length)
			fail_msg("%s: %zu, not %zu", samples[i].what, length, samples[i].length);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_samples) };

	return cmocka_run_group_tests_name("stack_check", tests, NULL, NULL);
}
