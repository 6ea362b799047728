// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* The bytes that a first byte announces, 0: it cannot be one; and the range of the second. */
static int announced(unsigned char first, unsigned char *low, unsigned char *high)
{
	*low = 0x80;
	*high = 0xbf;
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first <= 0xdf)
		return 2;
	if (first >= 0xe0 && first <= 0xef) {
		if (first == 0xe0)
			*low = 0xa0; /* less is overlong */
		if (first == 0xed)
			*high = 0x9f; /* more is a surrogate */
		return 3;
	}
	if (first >= 0xf0 && first <= 0xf4) {
		if (first == 0xf0)
			*low = 0x90;
		if (first == 0xf4)
			*high = 0x8f; /* more is above U+10FFFF */
		return 4;
	}
	return 0;
}

int utf8__next(const char *text, size_t len)
{
	unsigned char low, high;
	int n = announced((unsigned char)text[0], &low, &high);

	if (n == 0)
		return -1;
	for (int i = 1; i < n; i++) {
		unsigned char byte = (size_t)i < len ? (unsigned char)text[i] : 0;

		if (byte < low || byte > high)
			return -i;
		low = 0x80;
		high = 0xbf;
	}
	return n;
}

bool utf8__is_clean(const char *text)
{
	/* Nearly all texts have but characters of one byte. */
	while ((signed char)*text > 0)
		text++;
	while (*text) {
		/* The 0 at the end belongs to none of several. */
		int n = (unsigned char)*text < 0x80 ? 1 : utf8__next(text, 4);

		if (n < 0)
			return false;
		text += n;
	}
	return true;
}

char *utf8__clean(const char *text)
{
	size_t len = strlen(text), replacement = strlen(UTF8_REPLACEMENT);
	char *copy = malloc(len * replacement + 1), *to = copy;

	if (!copy)
		return NULL;
	while (len) {
		int n = utf8__next(text, len);
		size_t used = (size_t)abs(n);

		memcpy(to, n > 0 ? text : UTF8_REPLACEMENT, n > 0 ? used : replacement);
		to += n > 0 ? used : replacement;
		text += used;
		len -= used;
	}
	*to = '\0';
	return copy;
}

/* Replaces control characters, also those of Latin-1 (U+0080 to U+009F), which some terminals obey.
 */
static void make_printable(char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || *text == 0x7f) {
			*text = '?';
		} else if (text[0] == '\xc2' && (unsigned char)text[1] < 0xa0) {
			*text++ = '?';
			*text = '?';
		}
	}
}

char *utf8__printable(const char *text)
{
	char *copy = utf8__clean(text);

	if (copy)
		make_printable(copy);
	return copy;
}
