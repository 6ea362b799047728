/* SPDX-License-Identifier: GPL-2.0-only */
/* Strings and lists of strings that live as long as the catalogue that read them. */
#ifndef USER_BASE_STRINGS_H
#define USER_BASE_STRINGS_H

#include <stddef.h>

struct strings {
	void **blocks; /* everything that was kept */
	size_t n, room;
};

/* A copy of text, owned by strings; NULL without memory. */
const char *strings__keep(struct strings *strings, const char *text);

/* A copy of n pointers (the strings themselves are not copied); NULL without memory or if n is 0.
 */
const char *const *strings__keep_list(struct strings *strings, const char *const *list, size_t n);

/* Frees everything that was kept; strings is empty afterwards. */
void strings__free(struct strings *strings);

#endif
