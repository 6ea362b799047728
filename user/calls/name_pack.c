// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "calls/name_pack.h"

/* Texts that are remembered; those with the same hash push each other out, and come twice. */
#define CACHE 256

struct name_pack {
	char *bytes;
	size_t n;
	__u32 shared[CACHE]; /* offsets; 0: none */
};

struct name_pack *name_pack__new(size_t bytes)
{
	struct name_pack *names = calloc(1, sizeof(*names));

	if (names)
		names->bytes = malloc(bytes + 8);
	if (!names || !names->bytes) {
		free(names);
		return NULL;
	}
	name_pack__begin(names);
	return names;
}

void name_pack__free(struct name_pack *names)
{
	if (!names)
		return;
	free(names->bytes);
	free(names);
}

void name_pack__begin(struct name_pack *names)
{
	names->bytes[0] = '\0';
	names->n = 1;
	memset(names->shared, 0, sizeof(names->shared));
}

__u32 name_pack__add(struct name_pack *names, const char *text, size_t length)
{
	__u32 at = (__u32)names->n;

	if (!length)
		return 0;
	memcpy(names->bytes + at, text, length);
	names->bytes[at + length] = '\0';
	names->n += length + 1;
	return at;
}

__u32 name_pack__share(struct name_pack *names, const char *text)
{
	__u32 hash = 5381, *shared;

	if (!text)
		return 0;
	for (const char *c = text; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	shared = &names->shared[hash % CACHE];
	if (!*shared || strcmp(names->bytes + *shared, text) != 0)
		*shared = name_pack__add(names, text, strlen(text));
	return *shared;
}

size_t name_pack__n(const struct name_pack *names)
{
	return (names->n + 7) / 8 * 8;
}

const char *name_pack__bytes(struct name_pack *names, size_t *n)
{
	*n = name_pack__n(names);
	memset(names->bytes + names->n, 0, *n - names->n);
	return names->bytes;
}
