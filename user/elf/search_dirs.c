// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elf/search_dirs.h"

/* What the distributions' loaders have built in: Debian, Red Hat and SUSE, others. */
static const char *const lib_values[] = { "lib/x86_64-linux-gnu", "lib64", "lib" };
static const char *const platform_values[] = { "x86_64", "haswell" };

#define N_LIB	   (sizeof(lib_values) / sizeof(lib_values[0]))
#define N_PLATFORM (sizeof(platform_values) / sizeof(platform_values[0]))

struct tokens {
	const char *origin;
	const char *lib;
	const char *platform;
};

struct text {
	char *bytes;
	size_t n;
	size_t room;
};

static void put_text(struct text *to, const char *from, size_t n)
{
	if (n >= to->room - to->n)
		n = to->room - to->n - 1;
	memcpy(to->bytes + to->n, from, n);
	to->n += n;
	to->bytes[to->n] = '\0';
}

/* The length of $NAME or ${NAME} at text, or 0. */
static size_t token_length(const char *text, size_t left, const char *name)
{
	bool braces = left > 1 && text[1] == '{';
	size_t n = strlen(name), start = braces ? 2 : 1, length = start + n + braces;

	if (left < length || strncmp(text + start, name, n) != 0 ||
	    (braces && text[start + n] != '}'))
		return 0;
	return length;
}

/* Copies an element with its tokens filled in; a longer result than a path can be is cut. */
static void expand(struct text *to, const char *element, size_t n, const struct tokens *tokens)
{
	to->n = 0;
	to->bytes[0] = '\0';
	for (size_t i = 0; i < n;) {
		const char *value = NULL;
		size_t length = 0;

		if (element[i] == '$') {
			if ((length = token_length(element + i, n - i, "ORIGIN")))
				value = tokens->origin;
			else if ((length = token_length(element + i, n - i, "PLATFORM")))
				value = tokens->platform;
			else if ((length = token_length(element + i, n - i, "LIB")))
				value = tokens->lib;
		}
		if (value)
			put_text(to, value, strlen(value));
		else
			put_text(to, element + i, 1);
		i += value ? length : 1;
	}
	if (to->n == 0)
		put_text(to, ".", 1);
}

int search_dirs__add(struct search_dirs *dirs, const char *dir)
{
	char *copy;

	for (size_t i = 0; i < dirs->n; i++) {
		if (strcmp(dirs->items[i], dir) == 0)
			return 0;
	}
	if (array__grow((void **)&dirs->items, &dirs->room, dirs->n, sizeof(*dirs->items)) < 0)
		return -ENOMEM;
	copy = strdup(dir);
	if (!copy)
		return -ENOMEM;
	dirs->items[dirs->n++] = copy;
	return 0;
}

static int add_element(struct search_dirs *dirs, const char *element, size_t n, const char *origin)
{
	char bytes[PATH_MAX];
	struct text text = { .bytes = bytes, .room = sizeof(bytes) };
	int err = 0;

	for (size_t i = 0; !err && i < N_LIB * N_PLATFORM; i++) {
		struct tokens tokens = { .origin = origin,
					 .lib = lib_values[i / N_PLATFORM],
					 .platform = platform_values[i % N_PLATFORM] };

		expand(&text, element, n, &tokens);
		err = search_dirs__add(dirs, bytes);
		if (!memchr(element, '$', n))
			break;
	}
	return err;
}

int search_dirs__add_list(struct search_dirs *dirs, const char *list, const char *separators,
			  const char *origin)
{
	if (!list || !*list)
		return 0;
	for (;;) {
		size_t n = strcspn(list, separators);
		int err = add_element(dirs, list, n, origin);

		if (err)
			return err;
		if (!list[n])
			return 0;
		list += n + 1;
	}
}

void search_dirs__clear(struct search_dirs *dirs)
{
	for (size_t i = 0; i < dirs->n; i++)
		free(dirs->items[i]);
	free((void *)dirs->items);
	*dirs = (struct search_dirs){ 0 };
}
