/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects of json-c as text: the same bytes as its own, made sooner. */
#ifndef USER_SINK_JSON_TEXT_H
#define USER_SINK_JSON_TEXT_H

#include <stddef.h>
#include <json-c/json.h>

/* All 0 to begin with; the bytes are to be freed with free(). */
struct json_text {
	char *bytes;
	size_t n, room;
};

/*
 * Adds the value at the end: JSON_C_TO_STRING_PLAIN, without slashes that are escaped. 0; -ENOMEM:
 * then nothing is added.
 */
int json_text__add(struct json_text *text, struct json_object *value);
int json_text__add_newline(struct json_text *text);
/* n bytes as they are. The same. */
int json_text__add_bytes(struct json_text *text, const char *bytes, size_t n);

#endif
