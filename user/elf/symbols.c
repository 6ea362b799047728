// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/search.h"
#include "elf/elf_functions.h"
#include "elf/symbols.h"

/* Functions by offset; of those with the same, the best name is first. */
struct symbols {
	struct elf_functions functions;
};

/* How internal a name looks: "__libc_write" more than "write". */
static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

static int compare_by_offset(const void *left, const void *right)
{
	const struct elf_function *a = left, *b = right;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	if (!a->size != !b->size)
		return a->size ? -1 : 1;
	if (a->exported != b->exported)
		return a->exported ? -1 : 1;
	if (underscores(a->name) != underscores(b->name))
		return underscores(a->name) < underscores(b->name) ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int read_functions(struct symbols *symbols, int fd, const char *path, struct error *err)
{
	struct elf_image image = { 0 };
	struct elf_dynamic dynamic = { 0 };
	int ret;

	ret = elf_image__open(&image, fd, path, err);
	if (!ret)
		ret = elf_dynamic__read(&dynamic, &image, true, err);
	if (!ret)
		ret = elf_functions__read(&symbols->functions, &image, &dynamic, true, err);
	if (!ret)
		qsort(symbols->functions.items, symbols->functions.n,
		      sizeof(*symbols->functions.items), compare_by_offset);
	elf_dynamic__free(&dynamic);
	elf_image__close(&image);
	return ret;
}

int symbols__open(struct symbols **out, const char *path, struct error *err)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));
	int fd, ret;

	if (!symbols)
		return error__set(err, -ENOMEM, "%s: out of memory", path);
	ret = fd = elf_image__open_file(path, err);
	if (fd >= 0)
		ret = read_functions(symbols, fd, path, err);
	if (fd >= 0)
		close(fd);
	if (ret)
		symbols__close(symbols);
	else
		*out = symbols;
	return ret;
}

void symbols__close(struct symbols *symbols)
{
	if (!symbols)
		return;
	elf_functions__free(&symbols->functions);
	free(symbols);
}

/* How many functions begin at or before an offset. */
static size_t count_to(const struct elf_functions *functions, __u64 offset)
{
	return SEARCH_FIRST(functions->n, i, functions->items[i].offset <= offset);
}

const char *symbols__find(const struct symbols *symbols, __u64 offset)
{
	const struct elf_function *items = symbols->functions.items;
	size_t at = count_to(&symbols->functions, offset);

	if (!at)
		return NULL;
	for (at--; at > 0 && items[at - 1].offset == items[at].offset; at--)
		;
	/* One that does not say how long it is has nothing: it may be followed by others' code. */
	return offset - items[at].offset < items[at].size ? items[at].name : NULL;
}
