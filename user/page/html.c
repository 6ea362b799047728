// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "page/html.h"

/* The code of the n bytes of a character of UTF-8. */
static unsigned int code_of(const char *text, int n)
{
	static const unsigned char first[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	unsigned int code = (unsigned char)text[0] & first[n];

	for (int i = 1; i < n; i++)
		code = code << 6 | ((unsigned char)text[i] & 0x3f);
	return code;
}

/* Does it turn the direction of others, or end a line where none should end? */
static bool is_unseen(unsigned int code)
{
	return code == 0x61c || code == 0x200e || code == 0x200f ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

static const char *entity_of(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void html__escape(FILE *out, const char *text, size_t n)
{
	for (size_t i = 0; i < n;) {
		const char *entity = entity_of(text[i]);
		int length = utf8__next(text + i, n - i);

		if (entity)
			fputs(entity, out);
		else if (length < 0)
			fputs(UTF8_REPLACEMENT, out);
		else if (length > 1 && is_unseen(code_of(text + i, length)))
			fprintf(out, "[U+%04X]", code_of(text + i, length));
		else
			fwrite(text + i, 1, (size_t)length, out);
		i += (size_t)(length < 0 ? -length : length);
	}
}

void html__text(FILE *out, const char *text)
{
	char *printable = utf8__printable(text);

	if (printable)
		html__escape(out, printable, strlen(printable));
	else
		fputc('?', out);
	free(printable);
}

/* U+2028 and U+2029 in UTF-8 but for the last byte. */
#define SEPARATOR "\xe2\x80"

static bool is_separator(const char *at, const char *end)
{
	return end - at >= 3 && !memcmp(at, SEPARATOR, 2) && (at[2] == '\xa8' || at[2] == '\xa9');
}

void html__json(FILE *out, const char *json, size_t n)
{
	const char *end = json + n, *from = json, *at = json;

	while (at < end) {
		bool separator = is_separator(at, end);

		if (!separator && *at != '<' && *at != '>' && *at != '&') {
			at++;
			continue;
		}
		fwrite(from, 1, (size_t)(at - from), out);
		if (separator)
			fprintf(out, "\\u20%02x", at[2] == '\xa8' ? 0x28 : 0x29);
		else
			fprintf(out, "\\u%04x", (unsigned int)*at);
		at += separator ? 3 : 1;
		from = at;
	}
	fwrite(from, 1, (size_t)(end - from), out);
}

size_t html__json_size(const char *json, size_t n)
{
	size_t size = n;

	for (size_t i = 0; i < n; i++) {
		if (json[i] == '<' || json[i] == '>' || json[i] == '&')
			size += HTML_ESCAPED - 1;
		else if (is_separator(json + i, json + n))
			size += HTML_ESCAPED - strlen(SEPARATOR) - 1;
	}
	return size;
}
