// SPDX-License-Identifier: GPL-2.0-only
/* Where a function is probed, by its own bytes: hand-made instructions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "elf/entry.h"
#include "elf_sample.h"
#include "entry_bytes.h"

/* One function, alone: its bytes, and what is to be found. */
struct sample {
	const char *what;
	const char *code;
	size_t n;
	enum entry_class first, site;
	__u32 moved;
	enum entry_bar bar;
};

#define STAYS(class, why) (class), (class), 0, (why)
#define MOVED(from, n)	  (from), ENTRY_EMULATED, (n), ENTRY_BAR_NONE

static const struct sample samples[] = {
	/* What the kernel emulates. */
	{ "push rbp", CODE(PUSH "\xc3"), STAYS(ENTRY_EMULATED, ENTRY_BAR_NONE) },
	{ "push r12", CODE("\x41\x54\xc3"), STAYS(ENTRY_EMULATED, ENTRY_BAR_NONE) },
	{ "nop", CODE("\x90\xc3"), STAYS(ENTRY_EMULATED, ENTRY_BAR_NONE) },
	{ "jmp short", CODE("\xeb\x10"), STAYS(ENTRY_EMULATED, ENTRY_BAR_NONE) },
	{ "jmp near", CODE("\xe9\x00\x01\x00\x00"), STAYS(ENTRY_EMULATED, ENTRY_BAR_NONE) },
	{ "je short", CODE("\x74\x10\xc3"), STAYS(ENTRY_EMULATED, ENTRY_BAR_NONE) },
	{ "je near", CODE("\x0f\x84\x00\x01\x00\x00"), STAYS(ENTRY_EMULATED, ENTRY_BAR_NONE) },
	{ "call", CODE("\xe8\x00\x01\x00\x00"), STAYS(ENTRY_EMULATED, ENTRY_BAR_NONE) },
	{ "nop5", CODE(NOP5 "\xc3"), STAYS(ENTRY_NOP5, ENTRY_BAR_NONE) },
	/* What it refuses. */
	{ "cs nopw", CODE("\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00\xc3"),
	  STAYS(ENTRY_REFUSED, ENTRY_BAR_STACK) },
	{ "cs nopw; push", CODE("\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00" PUSH),
	  MOVED(ENTRY_REFUSED, 10) },
	{ "lock incl (rdi)", CODE("\xf0\xff\x07\xc3"), STAYS(ENTRY_REFUSED, ENTRY_BAR_WRITE) },
	{ "int3", CODE("\xcc"), STAYS(ENTRY_REFUSED, ENTRY_BAR_OTHER) },
	{ "hlt", CODE("\xf4"), STAYS(ENTRY_REFUSED, ENTRY_BAR_OTHER) },
	{ "mov ss, eax", CODE("\x8e\xd0" PUSH), STAYS(ENTRY_REFUSED, ENTRY_BAR_OTHER) },
	{ "xchg r8, rax, which the kernel takes for a nop", CODE("\x49\x90" PUSH),
	  STAYS(ENTRY_REFUSED, ENTRY_BAR_ARGUMENT) },
	{ "data16 jmp", CODE("\x66\xe9\x00\x00\x00\x00"), STAYS(ENTRY_REFUSED, ENTRY_BAR_OTHER) },
	{ "notrack jmp rax", CODE("\x3e\xff\xe0"), STAYS(ENTRY_REFUSED, ENTRY_BAR_OTHER) },
	{ "vmovdqu ymm0, [rdi]", CODE("\xc5\xfe\x6f\x07"), STAYS(ENTRY_REFUSED, ENTRY_BAR_READ) },
	{ "pushf, which would store the trap flag", CODE("\x9c\x9d\xc3"),
	  STAYS(ENTRY_REFUSED, ENTRY_BAR_STACK) },
	{ "rep stosb, which would be hit at each round", CODE("\xf3\xaa\xc3"),
	  STAYS(ENTRY_REFUSED, ENTRY_BAR_WRITE) },
	{ "repne scasb", CODE("\xf2\xae\xc3"), STAYS(ENTRY_REFUSED, ENTRY_BAR_READ) },
	{ "syscall", CODE("\x0f\x05\xc3"), STAYS(ENTRY_REFUSED, ENTRY_BAR_ARGUMENT) },
	{ "xbegin", CODE("\xc7\xf8\x00\x00\x00\x00\xc3"), STAYS(ENTRY_REFUSED, ENTRY_BAR_OTHER) },
	/* What it takes for jumps behind a VEX prefix, and where the probe goes instead. */
	{ "vmovq rax, xmm0; ret", CODE("\xc4\xe1\xf9\x7e\xc0\xc3"),
	  STAYS(ENTRY_REFUSED, ENTRY_BAR_STACK) },
	{ "vmovq rax, xmm0; push", CODE("\xc4\xe1\xf9\x7e\xc0" PUSH), MOVED(ENTRY_REFUSED, 5) },
	{ "vmovq rax, xmm0; inc rax; ret", CODE("\xc4\xe1\xf9\x7e\xc0\x48\xff\xc0\xc3"),
	  ENTRY_REFUSED, ENTRY_STEPPED, 5, ENTRY_BAR_STACK },
	{ "vmovq rdi, xmm0; push", CODE("\xc4\xe1\xf9\x7e\xc7" PUSH),
	  STAYS(ENTRY_REFUSED, ENTRY_BAR_ARGUMENT) },
	{ "vzeroupper; push", CODE("\xc5\xf8\x77" PUSH), MOVED(ENTRY_REFUSED, 3) },
	{ "vmovdqa [rsp-32], ymm0; push", CODE("\xc5\xfd\x7f\x44\x24\xe0" PUSH),
	  STAYS(ENTRY_REFUSED, ENTRY_BAR_WRITE) },
	{ "vpaddd ymm0, ymm0, ymm1; push", CODE("\xc5\xfd\xfe\xc1" PUSH),
	  STAYS(ENTRY_REFUSED, ENTRY_BAR_OTHER) },
	{ "vmovdqu64 zmm0, zmm1; push", CODE("\x62\xf1\xfe\x48\x6f\xc1" PUSH),
	  STAYS(ENTRY_REFUSED, ENTRY_BAR_OTHER) },
	{ "endbr64; vmovq rax, xmm0; push", CODE(ENDBR "\xc4\xe1\xf9\x7e\xc0" PUSH),
	  MOVED(ENTRY_STEPPED, 9) },
	/* What it steps over, and where that can be skipped. */
	{ "endbr64; push", CODE(ENDBR PUSH), MOVED(ENTRY_STEPPED, 4) },
	{ "endbr64; je", CODE(ENDBR "\x74\x00\xc3"), MOVED(ENTRY_STEPPED, 4) },
	{ "endbr64; call", CODE(ENDBR "\xe8\x00\x00\x00\x00"), MOVED(ENTRY_STEPPED, 4) },
	{ "endbr64; test rdi, rdi; je", CODE(ENDBR "\x48\x85\xff\x74\x00"),
	  MOVED(ENTRY_STEPPED, 7) },
	{ "mov rax, rdi; push", CODE("\x48\x89\xf8" PUSH), MOVED(ENTRY_STEPPED, 3) },
	{ "lea rax, [rdi+8]; push", CODE("\x48\x8d\x47\x08" PUSH), MOVED(ENTRY_STEPPED, 4) },
	{ "pxor xmm0, xmm0; push", CODE("\x66\x0f\xef\xc0" PUSH), MOVED(ENTRY_STEPPED, 4) },
	{ "mov rax, fs:[0x28]; push", CODE("\x64\x48\x8b\x04\x25\x28\x00\x00\x00" PUSH),
	  MOVED(ENTRY_STEPPED, 9) },
	{ "mov rax, [rsp+8]; push", CODE("\x48\x8b\x44\x24\x08" PUSH), MOVED(ENTRY_STEPPED, 5) },
	{ "endbr64; nop5; push", CODE(ENDBR NOP5 PUSH), MOVED(ENTRY_STEPPED, 9) },
	{ "endbr64; nop5: not moved to", CODE(ENDBR NOP5 "\xc3"),
	  STAYS(ENTRY_STEPPED, ENTRY_BAR_STACK) },
	{ "mov rax, [rip+0x100], relocated; cmp [rax], 0; je",
	  CODE("\x48\x8b\x05\x00\x01\x00\x00\x80\x38\x00\x74\x00"), MOVED(ENTRY_STEPPED, 10) },
	/* And where not. */
	{ "sub rsp, 8; push", CODE("\x48\x83\xec\x08" PUSH),
	  STAYS(ENTRY_STEPPED, ENTRY_BAR_STACK) },
	{ "lea rsp, [rsp-8]; push", CODE("\x48\x8d\x64\x24\xf8" PUSH),
	  STAYS(ENTRY_STEPPED, ENTRY_BAR_STACK) },
	{ "endbr64; push imm; push", CODE(ENDBR "\x6a\x01" PUSH),
	  STAYS(ENTRY_STEPPED, ENTRY_BAR_STACK) },
	{ "endbr64; pop rax; push", CODE(ENDBR "\x58" PUSH),
	  STAYS(ENTRY_STEPPED, ENTRY_BAR_STACK) },
	{ "mov edi, 1; push", CODE("\xbf\x01\x00\x00\x00" PUSH),
	  STAYS(ENTRY_STEPPED, ENTRY_BAR_ARGUMENT) },
	{ "endbr64; xor r9d, r9d; push", CODE(ENDBR "\x45\x31\xc9" PUSH),
	  STAYS(ENTRY_STEPPED, ENTRY_BAR_ARGUMENT) },
	{ "mov sil, 1; push", CODE("\x40\xb6\x01" PUSH), STAYS(ENTRY_STEPPED, ENTRY_BAR_ARGUMENT) },
	{ "cqo, which writes rdx; push", CODE("\x48\x99" PUSH),
	  STAYS(ENTRY_STEPPED, ENTRY_BAR_ARGUMENT) },
	{ "mov [rdi], eax; push", CODE("\x89\x07" PUSH), STAYS(ENTRY_STEPPED, ENTRY_BAR_WRITE) },
	{ "mov [rsp-8], rdi; push", CODE("\x48\x89\x7c\x24\xf8" PUSH),
	  STAYS(ENTRY_STEPPED, ENTRY_BAR_WRITE) },
	{ "mov [rip], eax; push", CODE("\x89\x05\x00\x01\x00\x00" PUSH),
	  STAYS(ENTRY_STEPPED, ENTRY_BAR_WRITE) },
	{ "mov rax, [rdi]; push", CODE("\x48\x8b\x07" PUSH), STAYS(ENTRY_STEPPED, ENTRY_BAR_READ) },
	{ "mov rax, [rsp+rdi*8]; push", CODE("\x48\x8b\x04\xfc" PUSH),
	  STAYS(ENTRY_STEPPED, ENTRY_BAR_READ) },
	{ "mov rax, fs:[rdi]; push", CODE("\x64\x48\x8b\x07" PUSH),
	  STAYS(ENTRY_STEPPED, ENTRY_BAR_READ) },
	{ "mov rax, [rip+0x400], a variable; cmp [rax], 0; je",
	  CODE("\x48\x8b\x05\x00\x04\x00\x00\x80\x38\x00\x74\x00"),
	  STAYS(ENTRY_STEPPED, ENTRY_BAR_READ) },
	{ "mov rax, [rip+0x100]; mov eax, 1; cmp [rax], 0; je",
	  CODE("\x48\x8b\x05\x00\x01\x00\x00\xb8\x01\x00\x00\x00\x80\x38\x00\x74\x00"),
	  STAYS(ENTRY_STEPPED, ENTRY_BAR_READ) },
	{ "endbr64; ret", CODE(ENDBR "\xc3" PUSH), STAYS(ENTRY_STEPPED, ENTRY_BAR_STACK) },
	{ "endbr64; jmp rax", CODE(ENDBR "\xff\xe0" PUSH), STAYS(ENTRY_STEPPED, ENTRY_BAR_OTHER) },
	{ "endbr64; syscall", CODE(ENDBR "\x0f\x05" PUSH),
	  STAYS(ENTRY_STEPPED, ENTRY_BAR_ARGUMENT) },
	{ "endbr64; rdtscp", CODE(ENDBR "\x0f\x01\xf9" PUSH),
	  STAYS(ENTRY_STEPPED, ENTRY_BAR_ARGUMENT) },
	{ "endbr64; lfence", CODE(ENDBR "\x0f\xae\xe8" PUSH),
	  STAYS(ENTRY_STEPPED, ENTRY_BAR_OTHER) },
	{ "endbr64; idiv ebx", CODE(ENDBR "\xf7\xfb" PUSH),
	  STAYS(ENTRY_STEPPED, ENTRY_BAR_ARGUMENT) },
	{ "endbr64; rep stosb", CODE(ENDBR "\xf3\xaa" PUSH),
	  STAYS(ENTRY_STEPPED, ENTRY_BAR_WRITE) },
	/* Cut short, and nonsense. */
	{ "nothing", CODE(""), STAYS(ENTRY_UNKNOWN, ENTRY_BAR_END) },
	{ "endbr64", CODE(ENDBR), STAYS(ENTRY_STEPPED, ENTRY_BAR_END) },
	{ "half of an endbr64", CODE("\xf3\x0f"), STAYS(ENTRY_UNKNOWN, ENTRY_BAR_DECODE) },
	{ "endbr64; half of a call", CODE(ENDBR "\xe8\x00"),
	  STAYS(ENTRY_STEPPED, ENTRY_BAR_DECODE) },
	{ "no instruction", CODE("\x06\x06"), STAYS(ENTRY_UNKNOWN, ENTRY_BAR_DECODE) },
	{ "ARM: push {fp, lr}; add fp, sp, #4", CODE("\x00\x48\x2d\xe9\x04\xb0\x8d\xe2"),
	  STAYS(ENTRY_STEPPED, ENTRY_BAR_WRITE) },
};

static void test_samples(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(samples); i++) {
		const struct sample *sample = &samples[i];
		struct entry_code code = {
			.bytes = (const unsigned char *)sample->code,
			.n = sample->n,
			.address = 0x1000,
			.relro_start = 0x1100,
			.relro_end = 0x1200,
			.file_start = 0,
			.file_end = 0x2000,
		};
		struct entry_site entry;

		entry__find(&entry, &code);
		if (entry.first != sample->first || entry.site != sample->site ||
		    entry.moved != sample->moved || entry.bar != sample->bar)
			fail_msg("%s: first %d, site %d, moved %u, bar %d", sample->what,
				 entry.first, entry.site, entry.moved, entry.bar);
	}
}

/* Sixteen harmless instructions are skipped, seventeen are not. */
static void test_far(void **state)
{
	static const unsigned char mov[] = { 0x48, 0x89, 0xf8 }; /* mov rax, rdi */
	unsigned char bytes[17 * 3 + 1];
	struct entry_code code = { .bytes = bytes, .address = 0x1000 };
	struct entry_site entry;

	(void)state;
	for (int n = 16; n <= 17; n++) {
		for (int i = 0; i < n; i++)
			memcpy(bytes + i * sizeof(mov), mov, sizeof(mov));
		bytes[n * 3] = 0x55;
		code.n = (size_t)n * 3 + 1;
		entry__find(&entry, &code);
		assert_int_equal(entry.moved, n == 16 ? 48 : 0);
		assert_int_equal(entry.bar, n == 16 ? ENTRY_BAR_NONE : ENTRY_BAR_FAR);
	}
}

/* Where no probe may be on a nop5, it is behind it, stepped if need be. */
static void test_past_nop5(void **state)
{
	static const unsigned char bytes[] = NOP5 PUSH, leaf[] = NOP5 "\x48\x8d\x47\x01\xc3";
	struct entry_code code = { .bytes = bytes, .n = 6, .past_nop5 = true };
	struct entry_site entry;

	(void)state;
	entry__find(&entry, &code);
	assert_int_equal(entry.first, ENTRY_NOP5);
	assert_int_equal(entry.site, ENTRY_EMULATED);
	assert_int_equal(entry.moved, 5);
	code.n = 5;
	entry__find(&entry, &code);
	assert_int_equal(entry.site, ENTRY_NOP5);
	assert_int_equal(entry.moved, 0);
	code.past_nop5 = false;
	code.n = 6;
	entry__find(&entry, &code);
	assert_int_equal(entry.site, ENTRY_NOP5);
	code = (struct entry_code){ .bytes = leaf, .n = sizeof(leaf) - 1, .past_nop5 = true };
	entry__find(&entry, &code);
	assert_int_equal(entry.first, ENTRY_NOP5);
	assert_int_equal(entry.site, ENTRY_STEPPED);
	assert_int_equal(entry.moved, 5);
}

static void test_names(void **state)
{
	struct entry_site entry = { ENTRY_STEPPED, ENTRY_EMULATED, 4, ENTRY_BAR_NONE };

	(void)state;
	assert_string_equal(entry__name(&entry), "moved");
	entry__stay(&entry, ENTRY_BAR_CHOICE);
	assert_string_equal(entry__name(&entry), "stepped");
	assert_string_equal(entry_bar_texts[entry.bar], "not asked for");
	entry = (struct entry_site){ 0 };
	assert_null(entry__name(&entry));
	for (int i = ENTRY_BAR_NONE + 1; i < ENTRY_BARS; i++)
		assert_non_null(entry_bar_texts[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_far),
		cmocka_unit_test(test_past_nop5),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
