// SPDX-License-Identifier: GPL-2.0-only
/* elf_file on real files, on hand-made ones, and on what is left of real ones after damage. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "elf/elf_file.h"
#include "elf_sample.h"

/* The bytes of a file in memory. */
struct bytes {
	unsigned char *at;
	size_t n;
};

static struct bytes load(const char *path)
{
	struct bytes bytes;
	struct stat st;
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	bytes.n = (size_t)st.st_size;
	bytes.at = malloc(bytes.n);
	assert_non_null(bytes.at);
	assert_int_equal(read(fd, bytes.at, bytes.n), bytes.n);
	close(fd);
	return bytes;
}

static struct bytes load_libc(void)
{
	char path[ELF_SAMPLE_PATH];

	elf_sample__libc(path);
	return load(path);
}

static int open_bytes(struct elf_file **elf, const void *at, size_t n, struct error *err)
{
	int fd = memfd_create("elf", MFD_CLOEXEC), ret;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, at, n), n);
	ret = elf_file__open_fd(elf, fd, "memory", err);
	close(fd);
	return ret;
}

/* What elf_file promises of every file that it accepts. */
static void check_promises(const struct elf_file *elf, size_t size)
{
	for (size_t i = 0; i < elf_file__n_functions(elf); i++) {
		const struct elf_function *function = elf_file__function(elf, i), *last;

		assert_true(function->offset < size && function->size <= size - function->offset);
		assert_null(strchr(function->name, '@'));
		if (i == 0)
			continue;
		last = elf_file__function(elf, i - 1);
		assert_true(strcmp(last->name, function->name) <= 0);
		assert_true(strcmp(last->name, function->name) < 0 ||
			    last->offset < function->offset);
	}
}

/* Accepted and sound, or refused in the ways that are documented. */
static int open_status(const void *at, size_t n)
{
	struct elf_file *elf;
	struct error err;
	int ret = open_bytes(&elf, at, n, &err);

	if (ret == 0) {
		check_promises(elf, n);
		elf_file__close(elf);
	} else {
		assert_true(ret == -ENOEXEC || ret == -EBADMSG);
		assert_int_equal(err.code, ret);
		assert_non_null(strstr(err.text, "memory: "));
	}
	return ret;
}

static const struct elf_function *find(const struct elf_file *elf, const char *name)
{
	for (size_t i = 0; i < elf_file__n_functions(elf); i++) {
		if (strcmp(elf_file__function(elf, i)->name, name) == 0)
			return elf_file__function(elf, i);
	}
	return NULL;
}

int test_elf_file_marker(int x);

__attribute__((noinline)) int test_elf_file_marker(int x)
{
	return x * 12345 + 54321;
}

/* The bytes at a function's offset are those that run. */
static void test_own_executable(void **state)
{
	struct bytes self = load("/proc/self/exe");
	const struct elf_function *marker;
	struct elf_file *elf;
	struct error err;

	(void)state;
	assert_int_equal(elf_file__open(&elf, "/proc/self/exe", &err), 0);
	check_promises(elf, self.n);
	assert_non_null(elf_file__interp(elf));
	assert_true(elf_file__n_needed(elf) >= 1);
	marker = find(elf, "test_elf_file_marker");
	if (marker) {
		assert_true(marker->size > 0);
		assert_memory_equal(self.at + marker->offset, (const void *)test_elf_file_marker,
				    marker->size);
	}
	elf_file__close(elf);
	free(self.at);
	if (!marker)
		skip(); /* the test itself is stripped */
}

static void test_libc(void **state)
{
	struct bytes libc = load_libc();
	const struct elf_function *function;
	struct elf_file *elf;
	struct error err;

	(void)state;
	assert_int_equal(open_bytes(&elf, libc.at, libc.n, &err), 0);
	check_promises(elf, libc.n);
	assert_string_equal(elf_file__soname(elf), "libc.so.6");
	assert_int_equal(elf_file__n_rejected(elf), 0);
	assert_true(elf_file__n_functions(elf) > 1000);
	function = find(elf, "fopen");
	assert_non_null(function);
	assert_true(function->exported);
	assert_null(find(elf, "strlen")); /* an IFUNC */
	elf_file__close(elf);
	free(libc.at);
}

static void test_links_only(void **state)
{
	struct elf_file *elf;
	struct error err;
	struct stat st;

	(void)state;
	assert_int_equal(elf_file__open_links(&elf, "/proc/self/exe", &err), 0);
	assert_int_equal(stat("/proc/self/exe", &st), 0);
	assert_int_equal(elf_file__n_functions(elf), 0);
	assert_true(elf_file__n_needed(elf) >= 1);
	assert_true(elf_file__ino(elf) == st.st_ino && elf_file__dev(elf) == st.st_dev);
	elf_file__close(elf);
}

/* Without section headers the dynamic segment must give the same exported functions. */
static void test_no_section_headers(void **state)
{
	struct bytes libc = load_libc();
	Elf64_Ehdr *head = (Elf64_Ehdr *)libc.at;
	struct elf_file *whole, *bare;
	struct error err;
	size_t n = 0;

	(void)state;
	assert_int_equal(open_bytes(&whole, libc.at, libc.n, &err), 0);
	head->e_shoff = head->e_shnum = head->e_shstrndx = 0;
	assert_int_equal(open_bytes(&bare, libc.at, libc.n, &err), 0);
	for (size_t i = 0; i < elf_file__n_functions(whole); i++) {
		const struct elf_function *a = elf_file__function(whole, i), *b;

		if (!a->exported)
			continue;
		assert_true(n < elf_file__n_functions(bare));
		b = elf_file__function(bare, n++);
		assert_string_equal(a->name, b->name);
		assert_true(a->offset == b->offset && b->exported);
	}
	assert_int_equal(n, elf_file__n_functions(bare));
	elf_file__close(whole);
	elf_file__close(bare);
	free(libc.at);
}

static void test_cut_short(void **state)
{
	struct bytes libc = load_libc();

	(void)state;
	for (size_t n = 0; n < SELFMAG; n++)
		assert_int_equal(open_status(libc.at, n), -ENOEXEC);
	for (size_t n = SELFMAG; n < 1024; n++)
		assert_int_equal(open_status(libc.at, n), -EBADMSG);
	for (size_t n = 1024; n < libc.n; n += libc.n / 97)
		assert_int_equal(open_status(libc.at, n), -EBADMSG);
	assert_int_equal(open_status(libc.at, libc.n - 1), -EBADMSG);
	free(libc.at);
}

/* Any outcome that is documented will do; the sanitizers watch. */
static void test_flipped_bytes(void **state)
{
	struct bytes self = load("/proc/self/exe");
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)self.at;
	size_t tables = self.n - head->e_shoff;
	int accepted = 0;

	(void)state;
	srand(1);
	for (int round = 0; round < 1500; round++) {
		unsigned char before[4];
		size_t at[4];

		for (size_t i = 0; i < COUNT(at); i++) {
			at[i] = (size_t)rand() % (round % 3 == 0 ? 1024 : tables);
			if (round % 3 == 1)
				at[i] += head->e_shoff;
			else if (round % 3 == 2)
				at[i] = (size_t)rand() % self.n;
			before[i] = self.at[at[i]];
			self.at[at[i]] = (unsigned char)rand();
		}
		accepted += open_status(self.at, self.n) == 0;
		for (size_t i = COUNT(at); i-- > 0;)
			self.at[at[i]] = before[i];
	}
	assert_true(accepted > 0);
	assert_int_equal(open_status(self.at, self.n), 0);
	free(self.at);
}

/* A file made by hand: one segment of everything, .symtab and .strtab. */
struct made {
	Elf64_Ehdr head;
	Elf64_Phdr segments[2];
	unsigned char code[64];
	Elf64_Sym symbols[10];
	char strings[128];
	Elf64_Shdr sections[4];
};

#define CODE offsetof(struct made, code)
#define BASE 0x10000UL

static void set_symbol(struct made *made, int i, unsigned char info, __u64 value, const char *name)
{
	static const char first[] = "";
	size_t at = sizeof(first);

	while (made->strings[at])
		at += strlen(made->strings + at) + 1;
	snprintf(made->strings + at, sizeof(made->strings) - at, "%s", name);
	made->symbols[i] = (Elf64_Sym){
		.st_name = (Elf64_Word)at, .st_info = info, .st_shndx = 3, .st_value = value
	};
}

static struct made make(void)
{
	struct made made = {
		.head = elf_sample__head(offsetof(struct made, segments), 2,
					 offsetof(struct made, sections), 4),
		.segments = { { .p_type = PT_LOAD,
				.p_flags = PF_R | PF_X,
				.p_vaddr = BASE,
				.p_filesz = sizeof(struct made),
				.p_memsz = sizeof(struct made) + 4096 },
			      { .p_type = PT_NULL } },
	};

	made.sections[1] = (Elf64_Shdr){ .sh_type = SHT_SYMTAB,
					 .sh_offset = offsetof(struct made, symbols),
					 .sh_size = sizeof(made.symbols),
					 .sh_entsize = sizeof(Elf64_Sym),
					 .sh_link = 2 };
	made.sections[2] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
					 .sh_offset = offsetof(struct made, strings),
					 .sh_size = sizeof(made.strings) };
	made.sections[3] = (Elf64_Shdr){ .sh_type = SHT_PROGBITS };
	set_symbol(&made, 1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), BASE + CODE, "plain");
	return made;
}

static void test_which_symbols(void **state)
{
	const unsigned char global = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
	struct made made = make();
	struct elf_file *elf;
	struct error err;

	(void)state;
	set_symbol(&made, 2, global, BASE + CODE + 8, "new@@V2");
	set_symbol(&made, 3, global, BASE + CODE, "alias");
	set_symbol(&made, 4, ELF64_ST_INFO(STB_LOCAL, STT_FUNC), BASE + CODE, "local");
	set_symbol(&made, 5, ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC), BASE + CODE, "ifunc");
	set_symbol(&made, 6, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), BASE + CODE, "object");
	set_symbol(&made, 7, ELF64_ST_INFO(STB_WEAK, STT_FUNC), BASE + CODE + 4, "new@V1");
	set_symbol(&made, 8, global, BASE + CODE, "undefined");
	made.symbols[8].st_shndx = SHN_UNDEF;
	set_symbol(&made, 9, global, BASE + sizeof(made), "outside"); /* memory, not file */
	assert_int_equal(open_bytes(&elf, &made, sizeof(made), &err), 0);
	assert_int_equal(elf_file__n_functions(elf), 4);
	assert_string_equal(elf_file__function(elf, 0)->name, "alias");
	assert_int_equal(elf_file__function(elf, 0)->offset, CODE);
	assert_false(elf_file__function(elf, 0)->exported);
	assert_string_equal(elf_file__function(elf, 1)->name, "new");
	assert_int_equal(elf_file__function(elf, 1)->offset, CODE + 4);
	assert_string_equal(elf_file__function(elf, 2)->name, "new");
	assert_int_equal(elf_file__function(elf, 2)->offset, CODE + 8);
	assert_string_equal(elf_file__function(elf, 3)->name, "plain");
	assert_int_equal(elf_file__n_rejected(elf), 1);
	assert_null(elf_file__soname(elf));
	assert_null(elf_file__interp(elf));
	elf_file__close(elf);
}

static size_t n_rejected(const struct made *made)
{
	struct elf_file *elf;
	struct error err;
	size_t n;

	assert_int_equal(open_bytes(&elf, made, sizeof(*made), &err), 0);
	n = elf_file__n_rejected(elf);
	assert_int_equal(elf_file__n_functions(elf) + n, 1);
	elf_file__close(elf);
	return n;
}

static void test_rejected_symbols(void **state)
{
	struct made made = make();

	(void)state;
	assert_int_equal(n_rejected(&made), 0);
	made.symbols[1].st_value = ~0UL;
	assert_int_equal(n_rejected(&made), 1);
	made = make();
	made.symbols[1].st_size = ~0UL;
	assert_int_equal(n_rejected(&made), 1);
	made = make();
	made.symbols[1].st_shndx = SHN_ABS;
	assert_int_equal(n_rejected(&made), 1);
	made = make();
	made.segments[0].p_flags = PF_R;
	assert_int_equal(n_rejected(&made), 1);
	made = make();
	made.segments[1] = made.segments[0]; /* overlapping: it could be in either */
	assert_int_equal(n_rejected(&made), 1);
}

/* Each takes a sound file and spoils one number. */
static void test_corrupt_tables(void **state)
{
	struct made made;

	(void)state;
#define SPOIL(code, change) \
	made = make();      \
	made.change;        \
	assert_int_equal(open_status(&made, sizeof(made)), code)

	SPOIL(0, head.e_version = 1);
	SPOIL(-ENOEXEC, head.e_ident[EI_CLASS] = ELFCLASS32);
	SPOIL(-ENOEXEC, head.e_ident[EI_DATA] = ELFDATA2MSB);
	SPOIL(-ENOEXEC, head.e_machine = EM_AARCH64);
	SPOIL(-ENOEXEC, head.e_type = ET_REL);
	SPOIL(-ENOEXEC, head.e_type = ET_CORE);
	SPOIL(-EBADMSG, head.e_phnum = 0);
	SPOIL(-EBADMSG, head.e_phnum = PN_XNUM);
	SPOIL(-EBADMSG, head.e_phnum = 1000);
	SPOIL(-EBADMSG, head.e_phentsize = 1);
	SPOIL(-EBADMSG, head.e_phoff = ~0UL);
	SPOIL(-EBADMSG, head.e_phoff = sizeof(made) - 1);
	SPOIL(-EBADMSG, head.e_shoff = ~0UL - 10);
	SPOIL(-EBADMSG, head.e_shoff = sizeof(made) + 1);
	SPOIL(-EBADMSG, head.e_shnum = 0xfeff);
	SPOIL(-EBADMSG, head.e_shentsize = 1);
	SPOIL(-EBADMSG, segments[0].p_filesz = sizeof(made) + 1);
	SPOIL(-EBADMSG, segments[0].p_filesz = ~0UL);
	SPOIL(-EBADMSG, segments[0].p_memsz = ~0UL);
	SPOIL(-EBADMSG, segments[0].p_offset = ~0UL);
	SPOIL(-EBADMSG, segments[0].p_vaddr = BASE + 1);
	SPOIL(-EBADMSG, sections[1].sh_link = 0);
	SPOIL(-EBADMSG, sections[1].sh_link = 1);
	SPOIL(-EBADMSG, sections[1].sh_link = 3);
	SPOIL(-EBADMSG, sections[1].sh_link = 4000000000U);
	SPOIL(-EBADMSG, sections[1].sh_size = 1UL << 40);
	SPOIL(-EBADMSG, sections[1].sh_size = sizeof(made.symbols) - 1);
	SPOIL(-EBADMSG, sections[1].sh_offset = ~0UL);
	SPOIL(-EBADMSG, sections[1].sh_entsize = 0);
	SPOIL(-EBADMSG, sections[2].sh_offset = sizeof(made));
	SPOIL(-EBADMSG, sections[2].sh_size = ~0UL);
	SPOIL(-EBADMSG, sections[2].sh_size = 0);
	SPOIL(-EBADMSG, symbols[1].st_name = 1000000);
	SPOIL(-EBADMSG, symbols[1].st_name = sizeof(made.strings));
	SPOIL(-EBADMSG, segments[1] = ((Elf64_Phdr){ .p_type = PT_DYNAMIC, .p_filesz = ~0UL }));
	SPOIL(-EBADMSG, segments[1] = ((Elf64_Phdr){ .p_type = PT_INTERP, .p_filesz = ~0UL }));
#undef SPOIL
}

/* A section count that stands in the first section, as for 65,280 and more of them. */
static void test_huge_section_count(void **state)
{
	struct made made = make();

	(void)state;
	made.head.e_shnum = 0;
	made.sections[0].sh_size = 4;
	assert_int_equal(open_status(&made, sizeof(made)), 0);
	made.sections[0].sh_size = ~0UL;
	assert_int_equal(open_status(&made, sizeof(made)), -EBADMSG);
	made.sections[0].sh_size = 1UL << 17;
	assert_int_equal(open_status(&made, sizeof(made)), -EBADMSG);
}

static void test_not_elf(void **state)
{
	static const char *const others[] = { "/", "/dev/null", "/proc/self/fd", "/etc/passwd",
					      "/proc/self/maps" };
	char fifo[] = "/tmp/test_elf_file.XXXXXX";
	struct elf_file *elf;
	struct error err;

	(void)state;
	for (size_t i = 0; i < COUNT(others); i++) {
		assert_int_equal(elf_file__open(&elf, others[i], &err), -ENOEXEC);
		assert_non_null(strstr(err.text, others[i]));
	}
	assert_int_equal(open_status("", 0), -ENOEXEC);
	assert_int_equal(open_status("#!/bin/sh\necho no\n", 18), -ENOEXEC);
	assert_int_equal(elf_file__open(&elf, "/nonexistent/file", &err), -ENOENT);
	assert_int_equal(elf_file__open(&elf, "/nonexistent/file", NULL), -ENOENT);
	/* Nobody writes to it: opening it must not wait. */
	assert_non_null(mkdtemp(fifo));
	assert_int_equal(rmdir(fifo), 0);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(elf_file__open(&elf, fifo, &err), -ENOEXEC);
	assert_int_equal(unlink(fifo), 0);
	elf_file__close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_executable), cmocka_unit_test(test_libc),
		cmocka_unit_test(test_links_only),     cmocka_unit_test(test_no_section_headers),
		cmocka_unit_test(test_cut_short),      cmocka_unit_test(test_flipped_bytes),
		cmocka_unit_test(test_which_symbols),  cmocka_unit_test(test_rejected_symbols),
		cmocka_unit_test(test_corrupt_tables), cmocka_unit_test(test_huge_section_count),
		cmocka_unit_test(test_not_elf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
