// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strings.h"

static void *keep(struct strings *strings, const void *bytes, size_t size)
{
	void *copy;

	if (array__grow((void **)&strings->blocks, &strings->room, strings->n, sizeof(void *)) < 0)
		return NULL;
	copy = malloc(size);
	if (!copy)
		return NULL;
	memcpy(copy, bytes, size);
	strings->blocks[strings->n++] = copy;
	return copy;
}

const char *strings__keep(struct strings *strings, const char *text)
{
	return keep(strings, text, strlen(text) + 1);
}

const char *const *strings__keep_list(struct strings *strings, const char *const *list, size_t n)
{
	return n ? keep(strings, list, n * sizeof(*list)) : NULL;
}

void strings__free(struct strings *strings)
{
	for (size_t i = 0; i < strings->n; i++)
		free(strings->blocks[i]);
	free(strings->blocks);
	memset(strings, 0, sizeof(*strings));
}
