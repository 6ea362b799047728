// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/elf_copier.h"
#include "elf/elf_exports.h"
#include "elf/elf_file.h"
#include "elf/elf_functions.h"
#include "elf/elf_go.h"

/* Owns copies of all that it hands out: libelf's buffers are gone once the file is read. */
struct elf_file {
	char *soname;
	char *interp;
	char *rpath;
	char *runpath;
	char **needed;
	size_t n_needed;
	bool no_default_libs;
	bool is_go;
	const char *copier_symbol;
	__u64 marks; /* bits */
	dev_t dev;
	ino_t ino;
	struct elf_functions functions;
};

/* A copy, or NULL for NULL; failed is set when memory is short. */
static char *copy_string(const char *text, bool *failed)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		*failed = true;
	return copy;
}

static int copy_links(struct elf_file *elf, const struct elf_dynamic *dynamic)
{
	bool failed = false;

	elf->soname = copy_string(dynamic->soname, &failed);
	elf->rpath = copy_string(dynamic->rpath, &failed);
	elf->runpath = copy_string(dynamic->runpath, &failed);
	elf->no_default_libs = dynamic->no_default_libs;
	elf->needed = calloc(dynamic->n_needed + 1, sizeof(*elf->needed));
	if (!elf->needed)
		return -ENOMEM;
	for (size_t i = 0; i < dynamic->n_needed; i++) {
		elf->needed[i] = copy_string(dynamic->needed[i], &failed);
		elf->n_needed++;
	}
	return failed ? -ENOMEM : 0;
}

static int read_interp(struct elf_file *elf, const struct elf_image *image)
{
	struct elf_strings strings;
	const char *path;

	if (image->interp.size == 0)
		return 0;
	if (elf_image__strings(image, image->interp, &strings) < 0)
		return -EBADMSG;
	path = elf_strings__at(&strings, 0);
	if (!path)
		return -EBADMSG;
	elf->interp = strdup(path);
	return elf->interp ? 0 : -ENOMEM;
}

/* What is read of a file, beside what it needs. */
struct what {
	bool functions;
	bool copier;
	const struct file_marks_list *marks; /* NULL: none */
};

static const struct what only_links = { 0 }, with_copier = { .copier = true },
			 with_functions = { .functions = true };

static int read_image(struct elf_file *elf, const struct elf_image *image, const struct what *what,
		      struct error *err)
{
	struct elf_dynamic dynamic;
	int ret;

	ret = elf_dynamic__read(&dynamic, image, what->functions, err);
	if (ret)
		goto cleanup;
	ret = read_interp(elf, image);
	if (!ret)
		ret = copy_links(elf, &dynamic);
	if (ret) {
		error__set(err, ret, "%s: %s", image->name,
			   ret == -ENOMEM ? "out of memory" : "corrupt interpreter name");
		goto cleanup;
	}
	if (what->functions)
		ret = elf_functions__read(&elf->functions, image, &dynamic, false, err);
	if (what->copier)
		elf->copier_symbol = elf_copier__find(image, &dynamic);
	elf->marks = elf_exports__marks(image, &dynamic, what->marks);
cleanup:
	elf_dynamic__free(&dynamic);
	return ret;
}

static int open_fd(struct elf_file **out, int fd, const char *name, const struct what *what,
		   struct error *err)
{
	struct elf_image image = { 0 };
	struct elf_file *elf;
	struct stat st;
	int ret;

	elf = calloc(1, sizeof(*elf));
	if (!elf)
		return error__set(err, -ENOMEM, "%s: out of memory", name);
	ret = elf_image__open(&image, fd, name, err);
	if (ret)
		goto cleanup;
	if (fstat(fd, &st) < 0) {
		ret = error__set(err, -errno, "%s: %s", name, strerror(errno));
		goto cleanup;
	}
	elf->dev = st.st_dev;
	elf->ino = st.st_ino;
	elf->is_go = elf_go__made(&image);
	ret = read_image(elf, &image, what, err);
cleanup:
	elf_image__close(&image);
	if (ret)
		elf_file__close(elf);
	else
		*out = elf;
	return ret;
}

static int open_path(struct elf_file **out, const char *path, const struct what *what,
		     struct error *err)
{
	struct stat st;
	int fd, ret;

	/* Opening a device can do things, and opening a FIFO can wait: look first. */
	if (stat(path, &st) < 0)
		return error__set(err, -errno, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return error__set(err, -ENOEXEC, "%s: %s, not an ELF file", path,
				  S_ISDIR(st.st_mode) ? "a directory" : "not a regular file");
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return error__set(err, -errno, "%s: cannot be opened: %s", path, strerror(errno));
	ret = open_fd(out, fd, path, what, err);
	close(fd);
	return ret;
}

int elf_file__open(struct elf_file **out, const char *path, struct error *err)
{
	return open_path(out, path, &with_functions, err);
}

int elf_file__open_links(struct elf_file **out, const char *path, struct error *err)
{
	return open_path(out, path, &only_links, err);
}

int elf_file__open_copier(struct elf_file **out, const char *path, struct error *err)
{
	return open_path(out, path, &with_copier, err);
}

int elf_file__open_fd(struct elf_file **out, int fd, const char *name, struct error *err)
{
	return open_fd(out, fd, name, &with_functions, err);
}

int elf_file__open_marks(struct elf_file **out, const char *path,
			 const struct file_marks_list *marks, struct error *err)
{
	const struct what what = { .marks = marks };

	return open_path(out, path, &what, err);
}

int elf_file__open_library(struct elf_file **out, int fd, const char *name,
			   const struct file_marks_list *marks, struct error *err)
{
	const struct what what = { .functions = true, .marks = marks };

	return open_fd(out, fd, name, &what, err);
}

void elf_file__close(struct elf_file *elf)
{
	if (!elf)
		return;
	for (size_t i = 0; i < elf->n_needed; i++)
		free(elf->needed[i]);
	free(elf->needed);
	free(elf->soname);
	free(elf->interp);
	free(elf->rpath);
	free(elf->runpath);
	elf_functions__free(&elf->functions);
	free(elf);
}

const char *elf_file__soname(const struct elf_file *elf)
{
	return elf->soname;
}

const char *elf_file__interp(const struct elf_file *elf)
{
	return elf->interp;
}

const char *elf_file__rpath(const struct elf_file *elf)
{
	return elf->rpath;
}

const char *elf_file__runpath(const struct elf_file *elf)
{
	return elf->runpath;
}

size_t elf_file__n_needed(const struct elf_file *elf)
{
	return elf->n_needed;
}

const char *elf_file__needed(const struct elf_file *elf, size_t i)
{
	return elf->needed[i];
}

bool elf_file__no_default_libs(const struct elf_file *elf)
{
	return elf->no_default_libs;
}

dev_t elf_file__dev(const struct elf_file *elf)
{
	return elf->dev;
}

ino_t elf_file__ino(const struct elf_file *elf)
{
	return elf->ino;
}

size_t elf_file__n_functions(const struct elf_file *elf)
{
	return elf->functions.n;
}

size_t elf_file__n_chosen(const struct elf_file *elf)
{
	return elf->functions.n_chosen;
}

const struct elf_function *elf_file__function(const struct elf_file *elf, size_t i)
{
	return &elf->functions.items[i];
}

static int compare_name(const void *name, const void *function)
{
	return strcmp(name, ((const struct elf_function *)function)->name);
}

bool elf_file__has_function(const struct elf_file *elf, const char *name)
{
	const struct elf_functions *functions = &elf->functions;
	const struct elf_function *chosen = functions->items + functions->n;

	return bsearch(name, functions->items, functions->n, sizeof(*chosen), compare_name) ||
	       bsearch(name, chosen, functions->n_chosen, sizeof(*chosen), compare_name);
}

size_t elf_file__n_rejected(const struct elf_file *elf)
{
	return elf->functions.n_rejected;
}

bool elf_file__is_go(const struct elf_file *elf)
{
	return elf->is_go;
}

const char *elf_file__copier_symbol(const struct elf_file *elf)
{
	return elf->copier_symbol;
}

bool elf_file__has_marks(const struct elf_file *elf, size_t i)
{
	return i < FILE_MARKS_MAX && elf->marks >> i & 1;
}
