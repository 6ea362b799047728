// SPDX-License-Identifier: GPL-2.0-only
/* Who is known to copy code: the table, and symbols in whole, hand-made and damaged files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "elf/copiers.h"
#include "elf/elf_file.h"
#include "elf_sample.h"
#include "random_numbers.h"

/* A library with a few symbols, which either hash table finds. */
struct image {
	Elf64_Ehdr head;
	Elf64_Phdr segments[2];
	Elf64_Dyn dynamic[6];
	char strings[64];
	Elf64_Sym symbols[4]; /* none, and three */
	struct {
		__u32 n_buckets, first, n_masks, shift;
		__u64 filter[2];
		__u32 buckets[1], chain[3];
	} gnu;
	struct {
		__u32 n_buckets, n_chain, buckets[1], chain[4];
	} system_v;
};

static __u32 gnu_hash(const char *name)
{
	__u32 hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

static void add_symbol(struct image *image, size_t i, size_t at, const char *name, bool defined)
{
	__u32 hash = gnu_hash(name);

	snprintf(image->strings + at, sizeof(image->strings) - at, "%s", name);
	image->symbols[i] = (Elf64_Sym){
		.st_name = (Elf64_Word)at,
		.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		.st_shndx = defined ? 1 : SHN_UNDEF,
	};
	image->gnu.chain[i - 1] = (hash & ~1U) | (i == 3);
	image->gnu.filter[hash / 64 % 2] |= 1ULL << hash % 64 | 1ULL << (hash >> 6) % 64;
	image->system_v.chain[i] = i == 3 ? 0 : (__u32)i + 1;
}

/* table: DT_GNU_HASH, DT_HASH, or DT_NULL for none. */
static struct image make(Elf64_Sxword table, const char *name, bool defined)
{
	struct image image = {
		.head = elf_sample__head(offsetof(struct image, segments), 2, 0, 0),
		.segments = { { .p_type = PT_LOAD,
				.p_flags = PF_R | PF_X,
				.p_filesz = sizeof(image),
				.p_memsz = sizeof(image) },
			      { .p_type = PT_DYNAMIC,
				.p_offset = offsetof(struct image, dynamic),
				.p_filesz = sizeof(image.dynamic) } },
		.dynamic = { { DT_STRTAB, { offsetof(struct image, strings) } },
			     { DT_STRSZ, { sizeof(image.strings) } },
			     { DT_SYMTAB, { offsetof(struct image, symbols) } },
			     { table,
			       { table == DT_HASH ? offsetof(struct image, system_v)
						  : offsetof(struct image, gnu) } } },
		.gnu = { .n_buckets = 1, .first = 1, .n_masks = 2, .shift = 6, .buckets = { 1 } },
		.system_v = { .n_buckets = 1, .n_chain = 4, .buckets = { 1 } },
	};

	add_symbol(&image, 1, 1, "other", true);
	add_symbol(&image, 2, 8, name, defined);
	add_symbol(&image, 3, 48, "last", true);
	return image;
}

static int open_memory(struct elf_file **elf, const void *bytes, size_t n,
		       const struct file_marks_list *marks)
{
	int fd = memfd_create("elf", MFD_CLOEXEC), rc;
	struct error err;
	char path[64];

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	rc = marks ? elf_file__open_marks(elf, path, marks, &err)
		   : elf_file__open_copier(elf, path, &err);
	close(fd);
	return rc;
}

static void check_symbol(const struct image *image, const char *wanted)
{
	struct elf_file *elf;

	assert_int_equal(open_memory(&elf, image, sizeof(*image), NULL), 0);
	if (wanted)
		assert_string_equal(elf_file__copier_symbol(elf), wanted);
	else
		assert_null(elf_file__copier_symbol(elf));
	elf_file__close(elf);
}

static void test_exported(void **state)
{
	static const Elf64_Sxword tables[] = { DT_GNU_HASH, DT_HASH };
	struct image image;

	(void)state;
	for (size_t i = 0; i < COUNT(tables); i++) {
		image = make(tables[i], "funchook_prepare", true);
		check_symbol(&image, "funchook_prepare");
		image = make(tables[i], "MapStaticCodeToLargePages", true);
		check_symbol(&image, "MapStaticCodeToLargePages");
		/* Who only calls it, or something like it, is none. */
		image = make(tables[i], "funchook_prepare", false);
		check_symbol(&image, NULL);
		image = make(tables[i], "funchook_prepared", true);
		check_symbol(&image, NULL);
	}
	image = make(DT_NULL, "funchook_prepare", true);
	check_symbol(&image, NULL);
}

static const char *const both[] = { "other", "last" }, *const more[] = { "other", "gone" },
			 *const third[] = { "third" };
static const struct file_marks marks[] = {
	{ .exports = both, .n_exports = 2 },
	{ .exports = more, .n_exports = 2 },
	{ .exports = both, .n_exports = 2, .imports = third, .n_imports = 1 },
	{ .exports = both, .n_exports = 2, .imports = more, .n_imports = 2 },
	{ .n_exports = 0 },
};
static const struct file_marks_list list = { marks, COUNT(marks) };

/* By what a file exports, all of it, and by what it takes from others. */
static void test_marks(void **state)
{
	static const Elf64_Sxword tables[] = { DT_GNU_HASH, DT_HASH };
	struct elf_file *elf;

	(void)state;
	for (size_t i = 0; i < COUNT(tables) * 2; i++) {
		bool defined = i & 1;
		struct image image = make(tables[i / 2], "third", defined);

		assert_int_equal(open_memory(&elf, &image, sizeof(image), &list), 0);
		assert_true(elf_file__has_marks(elf, 0));
		assert_false(elf_file__has_marks(elf, 1));
		assert_int_equal(elf_file__has_marks(elf, 2), defined);
		assert_true(elf_file__has_marks(elf, 3));
		assert_false(elf_file__has_marks(elf, 4));
		assert_false(elf_file__has_marks(elf, 64));
		elf_file__close(elf);
	}
}

/* Millions of symbols in a hole of the file, each with a name of megabytes: it takes no time. */
static void test_endless_names(void **state)
{
	enum { STRINGS = 1 << 20, LONG = 16 << 20, SYMBOLS = 32 << 20, N = 2000000 };
	const size_t size = SYMBOLS + N * sizeof(Elf64_Sym);
	struct image image = make(DT_HASH, "third", true);
	int fd = memfd_create("elf", MFD_CLOEXEC);
	char path[64], *name = malloc(LONG);
	struct elf_file *elf;
	struct error err;

	(void)state;
	assert_non_null(name);
	memset(name, 'a', LONG);
	memcpy(name + LONG - sizeof(image.strings), image.strings, sizeof(image.strings));
	for (size_t i = 1; i < COUNT(image.symbols); i++)
		image.symbols[i].st_name += LONG - sizeof(image.strings);
	image.segments[0].p_filesz = image.segments[0].p_memsz = size;
	image.dynamic[0].d_un.d_val = STRINGS;
	image.dynamic[1].d_un.d_val = LONG;
	image.dynamic[2].d_un.d_val = SYMBOLS;
	image.system_v.n_chain = N;
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	assert_int_equal(pwrite(fd, &image, sizeof(image), 0), sizeof(image));
	assert_int_equal(pwrite(fd, name, LONG, STRINGS), LONG);
	assert_int_equal(pwrite(fd, image.symbols, sizeof(image.symbols), SYMBOLS),
			 sizeof(image.symbols));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(elf_file__open_marks(&elf, path, &list, &err), 0);
	assert_true(elf_file__has_marks(elf, 0));
	assert_true(elf_file__has_marks(elf, 2));
	elf_file__close(elf);
	free(name);
	close(fd);
}

/* Every symbol of the table is found by the quick search for symbols of the linker's table. */
static void test_table(void **state)
{
	size_t n = 0;
	const char *symbol;

	(void)state;
	for (; (symbol = copiers__symbol(n)); n++) {
		assert_ptr_equal(copiers__find_symbol(symbol), symbol);
		assert_non_null(copiers__by_symbol(symbol));
		/* The search in tables of strings takes such. */
		assert_in_range(strlen(symbol), 8, 64);
	}
	assert_in_range(n, 21, 64); /* as many as are searched for in tables of strings */
	assert_null(copiers__find_symbol("main"));
	assert_null(copiers__find_symbol("funchook"));
	assert_null(copiers__find_symbol(""));
}

static void test_names(void **state)
{
	static const struct {
		const char *file, *copier; /* NULL: none */
	} files[] = {
		{ "libhugetlbfs.so.0", "libhugetlbfs" },
		{ "libhugetlbfs-2.23.so", "libhugetlbfs" },
		{ "liblppreload.so", "Intel's large pages (iodlr)" },
		{ "libfunchook.so.2", "funchook" },
		{ "libsubhook.so", "subhook" },
		{ "libfrida-gum-1.0.so", "Frida" },
		{ "valgrind.bin", "Valgrind" },
		{ "memcheck-amd64-linux", "Valgrind" },
		{ "vgpreload_core-amd64-linux.so", "Valgrind" },
		{ "qemu-x86_64-static", "qemu's translation" },
		{ "libdynamorio.so.10.0", "DynamoRIO" },
		{ "libucm.so.0", "UCX's memory hooks" },
		{ "rr", "rr" },
		{ "qemu-system-x86_64", NULL },
		{ "libplthook.so", NULL },
		{ "libtcmalloc.so.4", NULL },
		{ "libmpi.so.40", NULL },
		{ "libc.so.6", NULL },
		{ "grr", NULL },
		{ "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++) {
		const struct copier *copier = copiers__by_file(files[i].file);

		if (files[i].copier)
			assert_string_equal(copier ? copier->name : files[i].file, files[i].copier);
		else
			assert_null(copier);
	}
}

static void test_reach(void **state)
{
	const struct copier *huge = copiers__by_file("libhugetlbfs.so.0");
	const struct copier *hooks = copiers__by_file("libucm.so.0");

	(void)state;
	assert_int_equal(copiers__by_symbol("_ZN2DB16remapExecutableEv")->reach, COPIER_OWN);
	assert_false(copiers__spares(huge, "libmpi.so.40"));
	assert_true(copiers__spares(hooks, "libmpi.so.40"));
	assert_false(copiers__spares(hooks, "libc.so.6"));
	/* Of data alone, as on Cray systems; of code; not said. */
	assert_true(copiers__is_off(huge, "W"));
	assert_true(copiers__is_off(huge, "no"));
	assert_false(copiers__is_off(huge, "RW"));
	assert_false(copiers__is_off(huge, "r2M:w2M"));
	assert_false(copiers__is_off(huge, NULL));
	assert_false(copiers__is_off(hooks, "W"));
}

/* Whatever is damaged, the file is refused or read; nothing is read outside of it. */
static void test_damaged(void **state)
{
	static const Elf64_Sxword tables[] = { DT_GNU_HASH, DT_HASH };
	struct elf_file *elf;

	(void)state;
	random_state = 23;
	for (size_t i = 0; i < 4000; i++) {
		struct image image = make(tables[i % 2], "subhook_new", true);
		size_t first = offsetof(struct image, dynamic), n = sizeof(image) - first;

		for (size_t k = 0; k <= i % 4; k++)
			((unsigned char *)&image)[first + (size_t)(uniform() * (double)n)] =
				(unsigned char)(uniform() * 256);
		if (open_memory(&elf, &image, sizeof(image), i & 2 ? &list : NULL) == 0)
			elf_file__close(elf);
	}
	for (size_t n = 0; n < sizeof(struct image); n++) {
		struct image image = make(tables[n % 2], "subhook_new", true);

		if (open_memory(&elf, &image, n, n & 2 ? &list : NULL) == 0)
			elf_file__close(elf);
	}
}

/* Chains that lead back to where they began come to an end. */
static void test_endless(void **state)
{
	struct image image = make(DT_HASH, "subhook_new", false);

	(void)state;
	image.system_v.chain[3] = 1;
	check_symbol(&image, NULL);
	image = make(DT_GNU_HASH, "subhook_new", false);
	image.gnu.chain[2] &= ~1U;
	image.gnu.n_masks = 0x80000000;
	check_symbol(&image, NULL);
}

/* Not exported: in the linker's table of this very program. */
int DobbyHook(void);
__attribute__((used, noinline)) int DobbyHook(void)
{
	return 0;
}

static void test_linked(void **state)
{
	struct elf_file *elf;
	struct error err;

	(void)state;
	assert_int_equal(elf_file__open_copier(&elf, "/proc/self/exe", &err), 0);
	assert_string_equal(elf_file__copier_symbol(elf), "DobbyHook");
	elf_file__close(elf);
	assert_int_equal(elf_file__open_copier(&elf, "/bin/true", &err), 0);
	assert_null(elf_file__copier_symbol(elf));
	elf_file__close(elf);
}

/* This very program, with its table of strings behind it, so many bytes further on. */
struct moved {
	unsigned char *bytes;
	size_t n;
	char *strings;
	size_t strings_size;
};

static struct moved move_strings(const unsigned char *self, size_t size, size_t by)
{
	struct moved moved = { .bytes = calloc(1, 2 * size + by) };
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)moved.bytes;
	Elf64_Shdr *sections, *symbols, *strings;

	assert_non_null(moved.bytes);
	memcpy(moved.bytes, self, size);
	sections = (Elf64_Shdr *)(moved.bytes + head->e_shoff);
	symbols = sections;
	while (symbols->sh_type != SHT_SYMTAB)
		symbols++;
	strings = &sections[symbols->sh_link];
	moved.strings = (char *)moved.bytes + size;
	memcpy(moved.strings + by, self + strings->sh_offset, strings->sh_size);
	strings->sh_offset = size;
	strings->sh_size += by;
	moved.strings_size = strings->sh_size;
	moved.n = size + strings->sh_size;
	for (size_t i = 0; i < symbols->sh_size / sizeof(Elf64_Sym); i++)
		((Elf64_Sym *)(moved.bytes + symbols->sh_offset))[i].st_name += (Elf64_Word)by;
	return moved;
}

static unsigned char *read_self(size_t *size)
{
	FILE *f = fopen("/proc/self/exe", "rb");
	unsigned char *bytes;

	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	*size = ((size_t)ftell(f) + 7) / 8 * 8;
	rewind(f);
	bytes = calloc(1, *size);
	assert_non_null(bytes);
	assert_true(fread(bytes, 1, *size, f) > 0);
	fclose(f);
	return bytes;
}

/* Wherever its name is in the table, which is read in pieces of 16384; also as another's end. */
static void test_linked_anywhere(void **state)
{
	static const char name[] = "DobbyHook";
	size_t size, at;
	unsigned char *self = read_self(&size);
	struct moved moved = move_strings(self, size, 0);
	struct elf_file *elf;

	(void)state;
	at = (size_t)((char *)memmem(moved.strings + 1, moved.strings_size, "\0DobbyHook",
				     sizeof(name) + 1) -
		      moved.strings) +
	     1;
	free(moved.bytes);
	for (size_t before = 0; before <= sizeof(name) + 1; before++)
		for (int merged = 0; merged < 2; merged++) {
			size_t by = 2 * 16384 - before - at % 16384;

			moved = move_strings(self, size, by);
			assert_string_equal(moved.strings + by + at, name);
			if (merged)
				moved.strings[by + at - 1] = '_';
			assert_int_equal(open_memory(&elf, moved.bytes, moved.n, NULL), 0);
			assert_string_equal(elf_file__copier_symbol(elf), name);
			elf_file__close(elf);
			/* Something like it is none. */
			moved.strings[by + at] = 'H';
			assert_int_equal(open_memory(&elf, moved.bytes, moved.n, NULL), 0);
			assert_null(elf_file__copier_symbol(elf));
			elf_file__close(elf);
			free(moved.bytes);
		}
	free(self);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),	cmocka_unit_test(test_names),
		cmocka_unit_test(test_reach),	cmocka_unit_test(test_exported),
		cmocka_unit_test(test_marks),	cmocka_unit_test(test_endless_names),
		cmocka_unit_test(test_damaged), cmocka_unit_test(test_endless),
		cmocka_unit_test(test_linked),	cmocka_unit_test(test_linked_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
