// SPDX-License-Identifier: GPL-2.0-only
/* Where a function is probed: hand-made instructions, hand-made files, and the C library. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): memfd_create, dl_iterate_phdr
#endif
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "target/entry_file.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* One function, alone: its bytes, and what is to be found. */
struct sample {
	const char *what;
	const char *code;
	size_t n;
	enum entry_class first, site;
	__u32 moved;
	enum entry_bar bar;
};

#define CODE(bytes)	  (bytes), sizeof(bytes) - 1
#define STAYS(class, why) (class), (class), 0, (why)
#define MOVED(from, n)	  (from), ENTRY_EMULATED, (n), ENTRY_BAR_NONE

#define ENDBR "\xf3\x0f\x1e\xfa"
#define NOP5  "\x0f\x1f\x44\x00\x00"
#define PUSH  "\x55"

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

/* Where a nop5 is slow it is skipped like any other. */
static void test_past_nop5(void **state)
{
	static const unsigned char bytes[] = NOP5 PUSH;
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

/*
 * A file with one executable segment and a symbol table. Code is at the same offset and address.
 */
#define TEXT	  0x1000
#define TEXT_SIZE 0x400

struct file {
	Elf64_Ehdr head;
	Elf64_Phdr segments[2];
	Elf64_Shdr sections[3];
	Elf64_Sym symbols[8];
	char strings[64];
	unsigned char padding[TEXT - sizeof(Elf64_Ehdr) - 2 * sizeof(Elf64_Phdr) -
			      3 * sizeof(Elf64_Shdr) - 8 * sizeof(Elf64_Sym) - 64];
	unsigned char text[TEXT_SIZE];
};

static void make_file(struct file *file)
{
	*file = (struct file){
		.head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			  .e_type = ET_DYN,
			  .e_machine = EM_X86_64,
			  .e_version = EV_CURRENT,
			  .e_phoff = offsetof(struct file, segments),
			  .e_shoff = offsetof(struct file, sections),
			  .e_ehsize = sizeof(Elf64_Ehdr),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 2,
			  .e_shentsize = sizeof(Elf64_Shdr),
			  .e_shnum = 3 },
		.segments = { { .p_type = PT_LOAD,
				.p_flags = PF_R | PF_X,
				.p_offset = TEXT,
				.p_vaddr = TEXT,
				.p_filesz = TEXT_SIZE,
				.p_memsz = TEXT_SIZE } },
		.sections = { [1] = { .sh_type = SHT_DYNSYM,
				      .sh_offset = offsetof(struct file, symbols),
				      .sh_size = sizeof(Elf64_Sym),
				      .sh_entsize = sizeof(Elf64_Sym),
				      .sh_link = 2 },
			      [2] = { .sh_type = SHT_STRTAB,
				      .sh_offset = offsetof(struct file, strings),
				      .sh_size = sizeof(file->strings) } },
	};
	memset(file->text, 0xcc, sizeof(file->text));
}

/* A function with these bytes at that place of the code. */
static void add_function(struct file *file, size_t at, const char *code, size_t n, size_t size)
{
	size_t i = file->sections[1].sh_size / sizeof(Elf64_Sym);

	assert_true(i < COUNT(file->symbols));
	memcpy(file->text + at, code, n);
	file->strings[2 * i] = (char)('a' + i);
	file->symbols[i] = (Elf64_Sym){ .st_name = 2 * i,
					.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
					.st_shndx = 1,
					.st_value = TEXT + at,
					.st_size = size };
	file->sections[1].sh_size += sizeof(Elf64_Sym);
}

/* The entry of the function at that place, as the whole file tells. */
static struct entry_site find_in(const void *bytes, size_t n_bytes, size_t at, size_t size)
{
	struct entry_function function = { .offset = TEXT + at, .size = size };
	int fd = memfd_create("elf", MFD_CLOEXEC);
	struct elf_file *elf;
	struct error err;

	assert_int_equal(write(fd, bytes, n_bytes), n_bytes);
	assert_int_equal(elf_file__open_fd(&elf, fd, "memory", &err), 0);
	assert_int_equal(entry_file__find(fd, "memory", elf, &function, 1, false, &err), 0);
	elf_file__close(elf);
	close(fd);
	return function.entry;
}

static void expect_in(const struct file *file, size_t at, size_t size, __u32 moved,
		      enum entry_bar bar)
{
	struct entry_site entry = find_in(file, sizeof(*file), at, size);

	assert_int_equal(entry.moved, moved);
	assert_int_equal(entry.bar, bar);
}

/* endbr64; mov rax, rdi; push rbp; ... */
#define BODY ENDBR "\x48\x89\xf8" PUSH

static void test_file(void **state)
{
	struct file file;

	(void)state;
	make_file(&file);
	add_function(&file, 0x40, CODE(BODY "\x5d\xc3"), 10);
	expect_in(&file, 0x40, 10, 7, ENTRY_BAR_NONE);
	expect_in(&file, 0x40, 8, 7, ENTRY_BAR_NONE);
	expect_in(&file, 0x40, 7, 0, ENTRY_BAR_END);
	expect_in(&file, 0x40, 0, 0, ENTRY_BAR_UNBOUND);
}

static void test_branch_back(void **state)
{
	static const struct {
		const char *code;
		size_t n;
		enum entry_bar bar;
	} tails[] = {
		{ CODE("\xeb\xf6"), ENTRY_BAR_NONE },		    /* jmp to the entry: a call */
		{ CODE("\xeb\xf7"), ENTRY_BAR_BRANCH },		    /* into endbr64 */
		{ CODE("\x74\xfa"), ENTRY_BAR_BRANCH },		    /* je to the mov */
		{ CODE("\x64\x74\xf9"), ENTRY_BAR_BRANCH },	    /* the same, with a prefix */
		{ CODE("\x75\xfd"), ENTRY_BAR_BRANCH },		    /* jne to the site */
		{ CODE("\xe3\xfd"), ENTRY_BAR_BRANCH },		    /* jrcxz */
		{ CODE("\xe2\xfd"), ENTRY_BAR_BRANCH },		    /* loop */
		{ CODE("\xeb\xfe"), ENTRY_BAR_NONE },		    /* behind the site */
		{ CODE("\xe9\xf7\xff\xff\xff"), ENTRY_BAR_BRANCH }, /* jmp near to the mov */
		{ CODE("\x0f\x84\xf9\xff\xff\xff"), ENTRY_BAR_BRANCH },
		{ CODE("\xb8\x74\xf9\x00\x00"), ENTRY_BAR_NONE },     /* a number that looks so */
		{ CODE("\x3e\xff\xe0"), ENTRY_BAR_INDIRECT },	      /* notrack jmp rax */
		{ CODE("\xff\xe0"), ENTRY_BAR_NONE },		      /* a jump to an endbr64 */
		{ CODE("\xff\x25\x00\x00\x00\x00"), ENTRY_BAR_NONE }, /* by the file's table */
		{ CODE("\x06\x74\xf9"), ENTRY_BAR_BRANCH },	      /* behind what is no code */
		{ CODE("\x06\x3e\xff\xe0"), ENTRY_BAR_INDIRECT },
	};
	struct file file;

	(void)state;
	for (size_t i = 0; i < COUNT(tails); i++) {
		make_file(&file);
		add_function(&file, 0x40, CODE(BODY), 8 + tails[i].n);
		memcpy(file.text + 0x48, tails[i].code, tails[i].n);
		expect_in(&file, 0x40, 8 + tails[i].n, tails[i].bar ? 0 : 7, tails[i].bar);
	}
}

/* Without endbr64, no indirect jump is marked as one that stays in the function. */
static void test_unmarked_jump(void **state)
{
	struct file file;

	(void)state;
	make_file(&file);
	add_function(&file, 0x40, CODE("\x48\x89\xf8" PUSH "\xff\xe0"), 6);
	expect_in(&file, 0x40, 6, 0, ENTRY_BAR_INDIRECT);
	expect_in(&file, 0x40, 4, 3, ENTRY_BAR_NONE);
}

static void test_neighbours(void **state)
{
	struct file file;

	(void)state;
	/* Another function jumps in, from before and from far behind. */
	make_file(&file);
	add_function(&file, 0x40, CODE(BODY "\xc3"), 9);
	add_function(&file, 0x30, CODE("\xeb\x15\xc3"), 3);
	expect_in(&file, 0x40, 9, 0, ENTRY_BAR_BRANCH);
	make_file(&file);
	add_function(&file, 0x40, CODE(BODY "\xc3"), 9);
	add_function(&file, 0x300, CODE("\xe9\x42\xfd\xff\xff"), 5);
	expect_in(&file, 0x40, 9, 0, ENTRY_BAR_BRANCH);
	/* One that begins between the entry and the site, on the site, behind it. */
	for (size_t i = 1; i <= 8; i++) {
		make_file(&file);
		add_function(&file, 0x40, CODE(BODY "\xc3"), 9);
		add_function(&file, 0x40 + i, BODY + i, 0, 9 - i);
		expect_in(&file, 0x40, 9, i <= 7 ? 0 : 7,
			  i <= 7 ? ENTRY_BAR_OVERLAP : ENTRY_BAR_NONE);
	}
	/* Another name of the same one. */
	make_file(&file);
	add_function(&file, 0x40, CODE(BODY "\xc3"), 9);
	add_function(&file, 0x40, CODE(BODY "\xc3"), 9);
	expect_in(&file, 0x40, 9, 7, ENTRY_BAR_NONE);
}

/* Two segments that map the same bytes of the file: each has two addresses. */
static void test_overlapping_segments(void **state)
{
	struct file file;

	(void)state;
	make_file(&file);
	add_function(&file, 0x40, CODE(BODY "\xc3"), 9);
	file.segments[1] = file.segments[0];
	file.segments[1].p_vaddr += 0x10000;
	expect_in(&file, 0x40, 9, 0, ENTRY_BAR_OVERLAP);
	/* Far apart, they would take too large a table. */
	make_file(&file);
	add_function(&file, 0x40, CODE(BODY "\xc3"), 9);
	file.segments[1] = file.segments[0];
	file.segments[1].p_vaddr += 1ULL << 40;
	expect_in(&file, 0x40, 9, 0, ENTRY_BAR_OVERLAP);
}

/* Functions outside of the code, and a file that is cut short after it was opened. */
static void test_out_of_code(void **state)
{
	struct entry_function functions[] = { { .offset = 0, .size = 16 },
					      { .offset = TEXT + TEXT_SIZE, .size = 16 },
					      { .offset = ~0ULL, .size = ~0ULL },
					      { .offset = TEXT + TEXT_SIZE - 1, .size = 16 } };
	int fd = memfd_create("elf", MFD_CLOEXEC);
	struct elf_file *elf;
	struct file file;
	struct error err;

	(void)state;
	make_file(&file);
	file.text[TEXT_SIZE - 1] = 0x55;
	assert_int_equal(write(fd, &file, sizeof(file)), sizeof(file));
	assert_int_equal(elf_file__open_fd(&elf, fd, "memory", &err), 0);
	assert_int_equal(entry_file__find(fd, "memory", elf, functions, 4, false, &err), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(functions[i].entry.site, ENTRY_UNKNOWN);
	assert_int_equal(functions[3].entry.site, ENTRY_EMULATED);
	assert_int_equal(ftruncate(fd, TEXT), 0);
	assert_true(entry_file__find(fd, "memory", elf, functions, 4, false, &err) < 0);
	assert_non_null(strstr(err.text, "memory: cut short"));
	assert_int_equal(functions[3].entry.site, ENTRY_UNKNOWN);
	elf_file__close(elf);
	close(fd);
}

static int note_libc(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	if (!strstr(info->dlpi_name, "/libc.so"))
		return 0;
	snprintf(ctx, 256, "%s", info->dlpi_name);
	return 1;
}

/* What must hold of every function of a real library. */
static void test_libc(void **state)
{
	struct entry_function *functions;
	size_t n, moved = 0, cheap = 0;
	struct elf_file *elf;
	struct error err;
	char path[256];
	int fd;

	(void)state;
	if (dl_iterate_phdr(note_libc, path) != 1)
		skip();
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(elf_file__open_fd(&elf, fd, path, &err), 0);
	n = elf_file__n_functions(elf);
	functions = calloc(n, sizeof(*functions));
	assert_non_null(functions);
	for (size_t i = 0; i < n; i++) {
		functions[i].offset = elf_file__function(elf, i)->offset;
		functions[i].size = elf_file__function(elf, i)->size;
	}
	assert_int_equal(entry_file__find(fd, path, elf, functions, n, false, &err), 0);
	for (size_t i = 0; i < n; i++) {
		const struct entry_function *function = &functions[i];
		unsigned char byte;

		assert_int_not_equal(function->entry.site, ENTRY_UNKNOWN);
		assert_true(function->entry.moved < function->size);
		cheap += function->entry.site == ENTRY_EMULATED;
		if (!function->entry.moved)
			continue;
		moved++;
		assert_int_equal(
			pread(fd, &byte, 1, (off_t)(function->offset + function->entry.moved)), 1);
		/* push, nop, jcc, jmp, call */
		assert_true((byte & 0xf8) == 0x50 || byte == 0x41 || byte == 0x90 ||
			    (byte & 0xf0) == 0x70 || byte == 0x0f || (byte & 0xfc) == 0xe8);
		for (size_t j = 0; j < n; j++)
			assert_false(functions[j].offset > function->offset &&
				     functions[j].offset <=
					     function->offset + function->entry.moved);
	}
	assert_true(moved > 0 && moved < cheap);
	free(functions);
	elf_file__close(elf);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_far),
		cmocka_unit_test(test_past_nop5),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_branch_back),
		cmocka_unit_test(test_unmarked_jump),
		cmocka_unit_test(test_neighbours),
		cmocka_unit_test(test_overlapping_segments),
		cmocka_unit_test(test_out_of_code),
		cmocka_unit_test(test_libc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
