// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sink/json_text.h"

/* Characters of the longest number, with its sign. */
#define NUMBER_MAX 21

static char *grow(struct json_text *text, size_t more)
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
static inline char *reach(struct json_text *text, size_t more)
{
	return text->n + more <= text->room ? text->bytes + text->n : grow(text, more);
}

static int add(struct json_text *text, const char *bytes, size_t n)
{
	char *at = reach(text, n);

	if (!at)
		return -ENOMEM;
	memcpy(at, bytes, n);
	text->n += n;
	return 0;
}

static int add_char(struct json_text *text, char c)
{
	char *at = reach(text, 1);

	if (!at)
		return -ENOMEM;
	*at = c;
	text->n++;
	return 0;
}

static int add_number(struct json_text *text, uint64_t left, bool is_negative)
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

static int add_int(struct json_text *text, const struct json_object *value)
{
	int64_t number = json_object_get_int64(value);

	/* What is above the largest of the one is of the other. */
	return number < 0 ? add_number(text, -(uint64_t)number, true)
			  : add_number(text, json_object_get_uint64(value), false);
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

static int add_string(struct json_text *text, const char *string, size_t n)
{
	char *at = reach(text, QUOTED_MAX(n));

	if (!at)
		return -ENOMEM;
	text->n = (size_t)(quote(at, string, n) - text->bytes);
	return 0;
}

static int add_value(struct json_text *text, struct json_object *value);

static int add_object(struct json_text *text, struct json_object *object)
{
	int ret = add_char(text, '{');
	bool first = true;

	json_object_object_foreach(object, name, member)
	{
		if (!ret && !first)
			ret = add_char(text, ',');
		if (!ret)
			ret = add_string(text, name, strlen(name));
		if (!ret)
			ret = add_char(text, ':');
		if (!ret)
			ret = add_value(text, member);
		first = false;
	}
	return ret ? ret : add_char(text, '}');
}

static int add_array(struct json_text *text, struct json_object *array)
{
	size_t n = json_object_array_length(array);
	int ret = add_char(text, '[');

	for (size_t i = 0; i < n && !ret; i++) {
		if (i)
			ret = add_char(text, ',');
		if (!ret)
			ret = add_value(text, json_object_array_get_idx(array, i));
	}
	return ret ? ret : add_char(text, ']');
}

static int add_value(struct json_text *text, struct json_object *value)
{
	const char *other;

	switch (json_object_get_type(value)) {
	case json_type_null:
		return add(text, "null", 4);
	case json_type_object:
		return add_object(text, value);
	case json_type_array:
		return add_array(text, value);
	case json_type_int:
		return add_int(text, value);
	case json_type_string:
		return add_string(text, json_object_get_string(value),
				  (size_t)json_object_get_string_len(value));
	default:
		/* A number may have a text of its own. */
		other = json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN);
		return other ? add(text, other, strlen(other)) : -ENOMEM;
	}
}

int json_text__add(struct json_text *text, struct json_object *value)
{
	size_t before = text->n;
	int ret = add_value(text, value);

	if (ret)
		text->n = before;
	return ret;
}

int json_text__add_newline(struct json_text *text)
{
	return add_char(text, '\n');
}

int json_text__add_bytes(struct json_text *text, const char *bytes, size_t n)
{
	return n ? add(text, bytes, n) : 0;
}

int json_text__add_string(struct json_text *text, const char *string)
{
	return add_string(text, string, strlen(string));
}

int json_text__add_name(struct json_text *text, const char *name, bool is_next)
{
	size_t n = strlen(name);
	char *at = reach(text, QUOTED_MAX(n) + 2);

	if (!at)
		return -ENOMEM;
	if (is_next)
		*at++ = ',';
	at = quote(at, name, n);
	*at++ = ':';
	text->n = (size_t)(at - text->bytes);
	return 0;
}

int json_text__add_u64(struct json_text *text, uint64_t value)
{
	return add_number(text, value, false);
}

struct json_object *json_text__object(const struct json_text *text)
{
	struct json_tokener *tokener = text->n && text->n <= INT_MAX ? json_tokener_new() : NULL;
	struct json_object *object = NULL;

	if (tokener)
		object = json_tokener_parse_ex(tokener, text->bytes, (int)text->n);
	if (tokener)
		json_tokener_free(tokener);
	return object;
}

struct json_object *json_text__take_object(struct json_text *text)
{
	struct json_object *object = json_text__object(text);

	free(text->bytes);
	*text = (struct json_text){ 0 };
	return object;
}
