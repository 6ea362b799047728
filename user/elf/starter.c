// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "elf/elf_dynamic.h"
#include "elf/elf_image.h"
#include "elf/starter.h"

/* What a name ends with: the linker lets a string be the end of a longer one. */
static const char *const functions[] = {
	"execl",  "execle",  "execlp",	    "execv",	    "execve", "execveat",
	"execvp", "execvpe", "fexecve",	    "dlopen",	    "popen",  "dlmopen",
	"system", "wordexp", "posix_spawn", "posix_spawnp",
};

static bool names_function(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		size_t length = strlen(functions[i]);

		if (n >= length && !memcmp(name + n - length, functions[i], length))
			return true;
	}
	return false;
}

static bool names_any(const struct elf_strings *strings)
{
	size_t at = 0;

	while (at < strings->size) {
		size_t n = strnlen(strings->bytes + at, strings->size - at);

		if (names_function(strings->bytes + at, n))
			return true;
		at += n + 1;
	}
	return false;
}

static int look(const struct elf_image *image, struct error *err)
{
	struct elf_dynamic dynamic;
	struct elf_strings strings;
	int ret = elf_dynamic__read(&dynamic, image, false, err);

	if (!ret && !dynamic.strings.size)
		ret = 1;
	else if (!ret)
		ret = elf_image__strings(image, dynamic.strings, &strings) < 0 ||
		      names_any(&strings);
	elf_dynamic__free(&dynamic);
	return ret;
}

int starter__is(const char *path, struct error *err)
{
	struct elf_image image = { 0 };
	int fd = elf_image__open_file(path, err), ret;

	if (fd < 0)
		return fd;
	ret = elf_image__open(&image, fd, path, err);
	if (!ret)
		ret = look(&image, err);
	elf_image__close(&image);
	close(fd);
	return ret;
}
