// SPDX-License-Identifier: GPL-2.0-only
/* The search for libraries, in a folder of hand-made ELF files that need each other. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "elf/loader.h"
#include "elf/search_dirs.h"
#include "elf_sample.h"
#include "own_folder.h"

#define NEEDED_MAX 4

/* What a hand-made file says of itself; NULL: nothing. */
struct made {
	const char *soname;
	const char *rpath;
	const char *runpath;
	const char *needed[NEEDED_MAX];
	bool program;
};

struct image {
	Elf64_Ehdr head;
	Elf64_Phdr segments[3];
	Elf64_Dyn dynamic[NEEDED_MAX + 8];
	char interp[32];
	char strings[1024];
};

static void add_string(struct image *image, int *n, Elf64_Sxword tag, const char *text)
{
	size_t at = 1;

	if (!text)
		return;
	while (image->strings[at])
		at += strlen(image->strings + at) + 1;
	snprintf(image->strings + at, sizeof(image->strings) - at, "%s", text);
	image->dynamic[*n].d_tag = tag;
	image->dynamic[(*n)++].d_un.d_val = at;
}

static void write_elf(const char *name, const struct made *made)
{
	struct image image = {
		.head = elf_sample__head(offsetof(struct image, segments), 3, 0, 0),
		.segments = { { .p_type = PT_LOAD,
				.p_flags = PF_R | PF_X,
				.p_filesz = sizeof(struct image),
				.p_memsz = sizeof(struct image) },
			      { .p_type = PT_DYNAMIC,
				.p_offset = offsetof(struct image, dynamic),
				.p_filesz = sizeof(image.dynamic) },
			      { .p_type = made->program ? PT_INTERP : PT_NULL,
				.p_offset = offsetof(struct image, interp),
				.p_filesz = sizeof(image.interp) } },
	};
	int n = 0;

	snprintf(image.interp, sizeof(image.interp), "/nonexistent/ld.so");
	add_string(&image, &n, DT_SONAME, made->soname);
	add_string(&image, &n, DT_RPATH, made->rpath);
	add_string(&image, &n, DT_RUNPATH, made->runpath);
	for (int i = 0; i < NEEDED_MAX; i++)
		add_string(&image, &n, DT_NEEDED, made->needed[i]);
	image.dynamic[n].d_tag = DT_STRTAB;
	image.dynamic[n++].d_un.d_ptr = offsetof(struct image, strings);
	image.dynamic[n].d_tag = DT_STRSZ;
	image.dynamic[n++].d_un.d_val = sizeof(image.strings);
	write_file(name, &image, sizeof(image), 0755);
}

static void write_library(const char *name, const char *soname)
{
	const struct made made = { .soname = soname };

	write_elf(name, &made);
}

static struct loader *open_loader(const char *library_path, const char *preload)
{
	const struct loader_env env = { .library_path = library_path,
					.preload = preload,
					.search_path = folder };
	struct loader *loader;
	struct error err;

	assert_int_equal(loader__new(&loader, &env, &err), 0);
	return loader;
}

static struct libraries *closure(const char *program, const char *library_path, const char *preload)
{
	struct loader *loader = open_loader(library_path, preload);
	struct libraries *list;
	struct error err;

	assert_int_equal(loader__closure(loader, in_folder(program), &list, &err), 0);
	loader__free(loader);
	return list;
}

/* The files of a list in their order, below the folder; after NULL no more are expected. */
static void expect(struct libraries *list, const char *const *names)
{
	size_t n = 0;

	for (; names[n]; n++) {
		assert_true(n < libraries__n(list));
		assert_string_equal(libraries__at(list, n)->path, in_folder(names[n]));
	}
	assert_int_equal(libraries__n(list), n);
}

static bool has_note(const struct libraries *list, const char *part)
{
	for (size_t i = 0; i < libraries__n_notes(list); i++) {
		if (strstr(libraries__note(list, i), part))
			return true;
	}
	return false;
}

/* RUNPATH is for the file's own needs; RPATH also for those of what it brings in. */
static void test_runpath_and_rpath(void **state)
{
	struct libraries *list;

	(void)state;
	write_elf("a/libone.so.1",
		  &(struct made){ .soname = "libone.so.1", .needed = { "libtwo.so.1" } });
	write_library("a/libtwo.so.1", "libtwo.so.1");
	write_elf("prog", &(struct made){ .program = true,
					  .runpath = "$ORIGIN/a",
					  .needed = { "libone.so.1" } });
	list = closure("prog", NULL, NULL);
	expect(list, (const char *const[]){ "prog", "a/libone.so.1", NULL });
	assert_true(has_note(list, "libtwo.so.1"));
	libraries__free(list);

	write_elf("prog", &(struct made){ .program = true,
					  .rpath = "${ORIGIN}/a",
					  .needed = { "libone.so.1" } });
	list = closure("prog", NULL, NULL);
	expect(list, (const char *const[]){ "prog", "a/libone.so.1", "a/libtwo.so.1", NULL });
	assert_false(has_note(list, "libtwo.so.1"));
	assert_true(has_note(list, "/nonexistent/ld.so"));
	libraries__free(list);

	/* Where a library has a RUNPATH, no RPATH counts for it. */
	write_elf("a/libone.so.1", &(struct made){ .soname = "libone.so.1",
						   .runpath = "/nonexistent",
						   .needed = { "libtwo.so.1" } });
	list = closure("prog", NULL, NULL);
	expect(list, (const char *const[]){ "prog", "a/libone.so.1", NULL });
	libraries__free(list);
}

/* RPATH, then LD_LIBRARY_PATH, then RUNPATH. */
static void test_order(void **state)
{
	char both[PATH_MAX];
	struct libraries *list;

	(void)state;
	write_library("a/libsame.so", "libsame.so");
	write_library("b/libsame.so", "libsame.so");
	snprintf(both, sizeof(both), "/nonexistent;%s", in_folder("b"));
	write_elf("prog", &(struct made){ .program = true,
					  .rpath = "$ORIGIN/a",
					  .needed = { "libsame.so" } });
	list = closure("prog", both, NULL);
	expect(list, (const char *const[]){ "prog", "a/libsame.so", NULL });
	libraries__free(list);
	write_elf("prog", &(struct made){ .program = true,
					  .runpath = "$ORIGIN/a",
					  .needed = { "libsame.so" } });
	list = closure("prog", both, NULL);
	expect(list, (const char *const[]){ "prog", "b/libsame.so", NULL });
	libraries__free(list);
	/* With both, RPATH is void. */
	write_elf("prog", &(struct made){ .program = true,
					  .rpath = "$ORIGIN/b",
					  .runpath = "$ORIGIN/a",
					  .needed = { "libsame.so" } });
	list = closure("prog", NULL, NULL);
	expect(list, (const char *const[]){ "prog", "a/libsame.so", NULL });
	libraries__free(list);
}

/* Breadth first; a soname that is loaded is not looked for; another architecture is passed over. */
static void test_closure(void **state)
{
	struct libraries *list;
	char preload[PATH_MAX];
	Elf64_Ehdr other = { 0 };

	(void)state;
	write_elf("a/libp.so",
		  &(struct made){ .soname = "libp.so.1", .needed = { "libr.so", "libq.so" } });
	write_library("a/libq.so", "libq.so");
	write_library("b/libr.so", "libr.so");
	write_library("c/libpre.so", NULL);
	memcpy(other.e_ident, ELFMAG, SELFMAG);
	other.e_ident[EI_CLASS] = ELFCLASS32;
	write_file("a/libr.so", &other, sizeof(other), 0755);
	assert_int_equal(symlink("libp.so", in_folder("a/libp2.so")), 0);
	write_elf("prog",
		  &(struct made){ .program = true,
				  .rpath = "$ORIGIN/a:$ORIGIN/b",
				  .needed = { "libp.so", "libq.so", "libp.so.1", "libp2.so" } });
	snprintf(preload, sizeof(preload), "%s libgone.so", in_folder("c/libpre.so"));
	list = closure("prog", NULL, preload);
	expect(list, (const char *const[]){ "prog", "c/libpre.so", "a/libp.so", "a/libq.so",
					    "b/libr.so", NULL });
	assert_true(has_note(list, "libgone.so"));
	assert_string_equal(libraries__at(list, 2)->soname, "libp.so.1");
	assert_null(libraries__at(list, 1)->soname);
	libraries__free(list);
}

/* The loader itself says what it has loaded for this very program. */
static int check_loaded(struct dl_phdr_info *info, size_t size, void *ctx)
{
	const struct libraries *list = ctx;
	struct stat st;

	(void)size;
	if (info->dlpi_name[0] == '/' && stat(info->dlpi_name, &st) == 0)
		assert_true(libraries__has(list, st.st_dev, st.st_ino));
	return 0;
}

static void test_own_closure(void **state)
{
	const struct loader_env env = { .library_path = getenv("LD_LIBRARY_PATH"),
					.preload = getenv("LD_PRELOAD") };
	struct libraries *list;
	struct loader *loader;
	struct error err;
	char self[PATH_MAX];

	(void)state;
	assert_non_null(realpath("/proc/self/exe", self));
	assert_int_equal(loader__new(&loader, &env, &err), 0);
	assert_int_equal(loader__closure(loader, self, &list, &err), 0);
	assert_string_equal(libraries__at(list, 0)->path, self);
	dl_iterate_phdr(check_loaded, list);
	libraries__free(list);
	loader__free(loader);
}

static void test_match(void **state)
{
	static const char *const patterns[] = { "libfoo.so*", "libbar-[0-9].so" };
	struct loader *loader = open_loader(in_folder("b"), NULL);
	struct libraries *list;
	struct error err;
	bool seen[4] = { false };

	(void)state;
	write_library("a/libfoo.so.7.1", "libfoo.so.7");
	assert_int_equal(symlink("libfoo.so.7.1", in_folder("a/libfoo.so.7")), 0);
	write_library("b/libbar-3.so", NULL);
	write_library("b/plugin.so", "libfoo.so.9");
	write_library("b/libfool.so", "libfool.so");
	write_file("b/libfoo.so", "INPUT ( libfoo.so.7 )", 21, 0644);
	write_library("c/libfoo.so.1", "libfoo.so.1"); /* nobody looks there */
	write_elf("prog", &(struct made){ .program = true, .runpath = "$ORIGIN/a" });
	assert_int_equal(loader__match(loader, in_folder("prog"), patterns, 2, &list, &err), 0);
	for (size_t i = 0; i < libraries__n(list); i++) {
		const struct library *library = libraries__at(list, i);

		if (strncmp(library->path, folder, strlen(folder)) != 0)
			continue; /* the machine may have some of its own */
		seen[0] |= strcmp(library->path, in_folder("a/libfoo.so.7.1")) == 0;
		seen[1] |= strcmp(library->path, in_folder("b/libbar-3.so")) == 0;
		seen[2] |= strcmp(library->path, in_folder("b/plugin.so")) == 0;
		seen[3] |= strstr(library->path, "/c/") || strstr(library->path, "libfool");
	}
	assert_true(seen[0] && seen[1] && seen[2] && !seen[3]);
	libraries__free(list);
	assert_int_equal(loader__match(loader, NULL, patterns, 0, &list, &err), 0);
	assert_int_equal(libraries__n(list), 0);
	libraries__free(list);
	loader__free(loader);
}

static void test_program_errors(void **state)
{
	struct loader *loader = open_loader(NULL, NULL);
	struct libraries *list;
	struct error err;

	(void)state;
	write_file("text", "hello", 5, 0755);
	assert_int_equal(loader__closure(loader, in_folder("text"), &list, &err), -ENOEXEC);
	assert_int_equal(loader__closure(loader, in_folder("gone"), &list, &err), -ENOENT);
	assert_int_equal(loader__closure(loader, folder, &list, &err), -EACCES);
	loader__free(loader);
}

static void test_search_dirs(void **state)
{
	struct search_dirs dirs = { 0 };

	(void)state;
	assert_int_equal(search_dirs__add_list(&dirs, NULL, ":", "/o"), 0);
	assert_int_equal(search_dirs__add_list(&dirs, "", ":", "/o"), 0);
	assert_int_equal(dirs.n, 0);
	assert_int_equal(search_dirs__add_list(&dirs, "/x::$ORIGIN/../y:/x:/$$ORIGI", ":", "/o"),
			 0);
	assert_int_equal(dirs.n, 4);
	assert_string_equal(dirs.items[1], ".");
	assert_string_equal(dirs.items[2], "/o/../y");
	assert_string_equal(dirs.items[3], "/$$ORIGI");
	search_dirs__clear(&dirs);
	assert_int_equal(search_dirs__add_list(&dirs, "/p/${LIB}", ":", "/o"), 0);
	assert_int_equal(dirs.n, 3);
	assert_string_equal(dirs.items[1], "/p/lib64");
	search_dirs__clear(&dirs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runpath_and_rpath),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_closure),
		cmocka_unit_test(test_own_closure),
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_program_errors),
		cmocka_unit_test(test_search_dirs),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
