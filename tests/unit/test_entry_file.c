// SPDX-License-Identifier: GPL-2.0-only
/* Where a function is probed, by all that its file has: hand-made files, and the C library. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "elf/entry_file.h"
#include "elf_sample.h"
#include "entry_bytes.h"

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
		.head = elf_sample__head(offsetof(struct file, segments), 2,
					 offsetof(struct file, sections), 3),
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
		add_function(&file, 0x40 + i, &BODY[i], 0, 9 - i);
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

/* What must hold of every function of a real library. */
static void test_libc(void **state)
{
	struct entry_function *functions;
	size_t n, moved = 0, cheap = 0;
	struct elf_file *elf;
	struct error err;
	char path[ELF_SAMPLE_PATH];
	int fd;

	(void)state;
	elf_sample__libc(path);
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
