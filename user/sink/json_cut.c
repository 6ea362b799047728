// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/utf8.h"
#include "sink/json_cut.h"

/* Strings and arrays that are so short are left alone: types, names of functions, hostnames. */
#define SHORT_STRING 64

/* The largest part of a record that can be cut. */
struct part {
	struct json_object *value; /* NULL: none */
	size_t length;		   /* of its text */
};

static void find_largest(struct json_object *value, struct part *largest)
{
	size_t length = 0;

	switch (json_object_get_type(value)) {
	case json_type_object: {
		json_object_object_foreach(value, name, member)
		{
			(void)name;
			find_largest(member, largest);
		}
		return;
	}
	case json_type_array:
		for (size_t i = 0; i < json_object_array_length(value); i++)
			find_largest(json_object_array_get_idx(value, i), largest);
		/* As a whole once its items are short. */
		if (largest->length <= SHORT_STRING && json_object_array_length(value))
			length = strlen(
				json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN));
		break;
	case json_type_string:
		length = (size_t)json_object_get_string_len(value);
		if (length <= SHORT_STRING)
			return;
		break;
	default:
		return;
	}
	if (length > largest->length)
		*largest = (struct part){ value, length };
}

/* Half a string, not within a character; half of an array's items. */
static void cut(struct json_object *value)
{
	const char *text;
	size_t half, n = 0;

	if (json_object_is_type(value, json_type_array)) {
		half = json_object_array_length(value) / 2;
		json_object_array_del_idx(value, half, json_object_array_length(value) - half);
		return;
	}
	text = json_object_get_string(value);
	half = (size_t)json_object_get_string_len(value) / 2;
	while (n < half) {
		int step = utf8__next(text + n, half - n);

		if (step <= 0)
			break;
		n += (size_t)step;
	}
	json_object_set_string_len(value, text, (int)n);
}

const char *json_cut__text(struct json_object *record, size_t room, size_t *length)
{
	const int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
	const char *text;

	json_object_object_del(record, "buckets");
	json_object_object_del(record, "size_buckets");
	json_object_object_del(record, "scheme");
	for (;;) {
		struct part largest = { 0 };

		text = json_object_to_json_string_length(record, flags, length);
		if (!text || *length <= room)
			return text;
		find_largest(record, &largest);
		if (!largest.value)
			return NULL;
		cut(largest.value);
		json_object_object_add(record, "cut", json_object_new_boolean(1));
	}
}
