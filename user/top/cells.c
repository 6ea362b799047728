// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/utf8.h"
#include "top/cells.h"

/* The character of n bytes, valid as it is: glibc's wchar_t is its number (ISO 10646). */
static wchar_t decode(const char *text, int n)
{
	static const unsigned char first_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	wchar_t c = (unsigned char)text[0] & first_bits[n];

	for (int i = 1; i < n; i++)
		c = c << 6 | ((unsigned char)text[i] & 0x3f);
	return c;
}

/* The cells of the character at text, and how many bytes it has. */
static int cells_of(const char *text, int *bytes)
{
	*bytes = utf8__next(text, strlen(text));
	if (*bytes < 0)
		*bytes = -*bytes;
	if (*bytes == 1)
		return 1;
	return wcwidth(decode(text, *bytes));
}

char *cells__visible(const char *text, bool wide)
{
	char *copy = malloc(strlen(text) + 1), *to = copy;
	int n, cells;

	if (!copy)
		return NULL;
	for (; *text; text += n) {
		cells = cells_of(text, &n);
		if (n > 1 && (!wide || cells < 1)) {
			*to++ = '?';
			continue;
		}
		memcpy(to, text, (size_t)n);
		to += n;
	}
	*to = '\0';
	return copy;
}

unsigned int cells__width(const char *text)
{
	unsigned int width = 0;
	int n;

	for (; *text; text += n)
		width += (unsigned int)cells_of(text, &n);
	return width;
}

const char *cells__end_of(const char *text, unsigned int width)
{
	unsigned int whole = cells__width(text);
	int n;

	for (; whole > width; text += n)
		whole -= (unsigned int)cells_of(text, &n);
	return text;
}
