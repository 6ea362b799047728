// SPDX-License-Identifier: GPL-2.0-only
/* libFuzzer target: any bytes as an ELF file. What is accepted must keep elf_file's promises. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): memfd_create
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/entry_file.h"
#include "elf/exits.h"

static void check(const struct elf_file *elf, size_t size)
{
	const struct elf_function *last = NULL;

	for (size_t i = 0; i < elf_file__n_functions(elf); i++) {
		const struct elf_function *function = elf_file__function(elf, i);
		int order = last ? strcmp(last->name, function->name) : -1;

		if (function->offset >= size || function->size > size - function->offset ||
		    strchr(function->name, '@') || order > 0 ||
		    (order == 0 && last->offset >= function->offset))
			abort();
		last = function;
	}
	for (size_t i = 0; i < elf_file__n_needed(elf); i++) {
		if (strlen(elf_file__needed(elf, i)) >= size)
			abort();
	}
}

/* Wherever the code leads, what is found is a `ret`. */
static void follow(const struct elf_file *elf, int fd, const unsigned char *data, size_t size)
{
	struct exits_found found;
	struct exits *exits;
	struct error err;

	if (exits__open(&exits, fd, elf, "input", &err) < 0)
		abort(); /* it was good a moment ago */
	for (size_t i = 0; i < elf_file__n_functions(elf) && i < 64; i++) {
		if (exits__find(exits, elf_file__function(elf, i)->offset, &found))
			continue;
		for (size_t j = 0; j < found.n; j++)
			if (found.offsets[j] >= size ||
			    !memchr(data + found.offsets[j], 0xc3,
				    size - found.offsets[j] < 15 ? size - found.offsets[j] : 15))
				abort();
	}
	exits__close(exits);
}

/* The entries of all functions. */
static void check_entries(const struct elf_file *elf, int fd)
{
	size_t n = elf_file__n_functions(elf);
	struct entry_function *functions = calloc(n + 1, sizeof(*functions));
	struct error err;

	if (!functions)
		abort();
	for (size_t i = 0; i < n; i++) {
		functions[i].offset = elf_file__function(elf, i)->offset;
		functions[i].size = elf_file__function(elf, i)->size;
	}
	entry_file__find(fd, "input", elf, functions, n, false, &err);
	for (size_t i = 0; i < n; i++)
		if (functions[i].entry.moved && functions[i].entry.moved >= functions[i].size &&
		    functions[i].size)
			abort();
	free(functions);
}

/* Reads what it needs, and whether it copies code, which goes by its hash tables. */
static void check_links(int fd)
{
	struct elf_file *elf;
	struct error err;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (elf_file__open_links(&elf, path, &err) == 0)
		elf_file__close(elf);
	else if (err.code >= 0 || !err.text[0])
		abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static const char *const names[] = { "main", "f" };
	static const struct file_marks marks = { names, 2, names + 1, 1 };
	static const struct file_marks_list list = { &marks, 1 };
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct elf_file *elf;
	struct error err;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	check_links(fd);
	if (elf_file__open_library(&elf, fd, "input", &list, &err) == 0) {
		check(elf, size);
		follow(elf, fd, data, size);
		check_entries(elf, fd);
		elf_file__close(elf);
	} else if (err.code >= 0 || !err.text[0]) {
		abort();
	}
	close(fd);
	return 0;
}
