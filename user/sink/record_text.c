// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "sink/record_text.h"

/* Characters of the longest number, with its sign. */
#define NUMBER_MAX 21

static char *grow(struct record_text *text, size_t more)
{
	size_t room = text->room ? text->room : 1024;
	char *bytes;

	while (room < text->n + more)
		room *= 2;
	bytes = realloc(text->bytes, room);
	if (!bytes)
		return NULL;
	text->bytes = bytes;
	text->room = room;
	return bytes + text->n;
}

/* Room for so many more bytes; NULL: no memory. */
static inline char *reach(struct record_text *text, size_t more)
{
	return text->n + more <= text->room ? text->bytes + text->n : grow(text, more);
}

static int add(struct record_text *text, const char *bytes, size_t n)
{
	char *at = reach(text, n);

	if (!at)
		return -ENOMEM;
	memcpy(at, bytes, n);
	text->n += n;
	return 0;
}

static int add_number(struct record_text *text, __u64 left, bool is_negative)
{
	char digits[NUMBER_MAX], *at = digits + sizeof(digits);

	do {
		*--at = (char)('0' + left % 10);
		left /= 10;
	} while (left);
	if (is_negative)
		*--at = '-';
	return add(text, at, (size_t)(digits + sizeof(digits) - at));
}

/* Behind a backslash; 0: it stands for itself, or has no letter. */
static char letter_of(unsigned char c)
{
	switch (c) {
	case '\b':
		return 'b';
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	case '\t':
		return 't';
	case '\f':
		return 'f';
	case '"':
	case '\\':
		return (char)c;
	default:
		return '\0';
	}
}

/* Those that stand for themselves. */
static const bool is_plain[UCHAR_MAX + 1] = {
	[' ' ... '!'] = true,
	['#' ... '['] = true,
	[']' ... UCHAR_MAX] = true,
};

/* Where it ends. */
static char *escape(char *at, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	char letter = letter_of(c);

	*at++ = '\\';
	if (letter) {
		*at++ = letter;
		return at;
	}
	at[0] = 'u';
	at[1] = at[2] = '0';
	at[3] = hex[c >> 4];
	at[4] = hex[c & 15];
	return at + 5;
}

/* Of n bytes, each may become six, and there are the quotes. */
#define QUOTED_MAX(n) (6 * (n) + 2)

/* Where there is room for that. Where it ends. */
static char *quote(char *at, const char *string, size_t n)
{
	*at++ = '"';
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)string[i];

		if (is_plain[c])
			*at++ = (char)c;
		else
			at = escape(at, c);
	}
	*at++ = '"';
	return at;
}

static int add_string(struct record_text *text, const char *string)
{
	size_t n = strlen(string);
	char *at = reach(text, QUOTED_MAX(n));

	if (!at)
		return -ENOMEM;
	text->n = (size_t)(quote(at, string, n) - text->bytes);
	return 0;
}

/* What comes before a value. */
static int add_name(struct record_text *text, const char *name)
{
	size_t n = name ? strlen(name) : 0;
	char *at = reach(text, QUOTED_MAX(n) + 4);

	if (!at)
		return -ENOMEM;
	if (text->has_members)
		*at++ = ',';
	if (text->is_spaced)
		*at++ = ' ';
	if (name) {
		at = quote(at, name, n);
		*at++ = ':';
	}
	if (name && text->is_spaced)
		*at++ = ' ';
	text->n = (size_t)(at - text->bytes);
	text->has_members = true;
	return 0;
}

static int add_value(struct record_text *text, const struct record_value *value)
{
	switch (value->kind) {
	case RECORD_BOOL:
		return value->yes ? add(text, "true", 4) : add(text, "false", 5);
	case RECORD_U64:
		return add_number(text, value->u64, false);
	case RECORD_I64:
		return value->i64 < 0 ? add_number(text, -(__u64)value->i64, true)
				      : add_number(text, (__u64)value->i64, false);
	case RECORD_DOUBLE:
		return add(text, value->text, strlen(value->text));
	case RECORD_STRING:
		return add_string(text, value->text);
	case RECORD_OBJECT:
	case RECORD_ARRAY:
		text->has_members = false;
		return add(text, value->kind == RECORD_OBJECT ? "{" : "[", 1);
	case RECORD_OBJECT_END:
	case RECORD_ARRAY_END:
		text->has_members = text->record.depth != 0;
		if (text->is_spaced)
			return add(text, value->kind == RECORD_OBJECT_END ? " }" : " ]", 2);
		return add(text, value->kind == RECORD_OBJECT_END ? "}" : "]", 1);
	default:
		return add(text, "null", 4);
	}
}

static void put_text(struct record *record, const char *name, const struct record_value *value)
{
	struct record_text *text = (struct record_text *)record;
	bool ends = value->kind == RECORD_OBJECT_END || value->kind == RECORD_ARRAY_END;
	int ret = 0;

	if (!record->depth && !ends)
		text->start = text->n;
	if (!ends && record->depth)
		ret = add_name(text, name);
	if (!ret)
		ret = add_value(text, value);
	if (!record->failure)
		record->failure = ret;
	if (record->failure && !record->depth && ends)
		text->n = text->start;
}

struct record_text record_text__new(void (*done)(struct record *record))
{
	return (struct record_text){ .record = { .put = put_text, .done = done } };
}

void record_text__end_line(struct record *record)
{
	if (!record->failure)
		add((struct record_text *)record, "\n", 1);
}

int record_text__add_bytes(struct record_text *text, const char *bytes, size_t n)
{
	return n ? add(text, bytes, n) : 0;
}
