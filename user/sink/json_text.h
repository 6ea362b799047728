/* SPDX-License-Identifier: GPL-2.0-only */
/* Text of JSON that is put together; objects of json-c as the same bytes as its own, made sooner.
 */
#ifndef USER_SINK_JSON_TEXT_H
#define USER_SINK_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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
/* What comes before a member's value, with a comma before the next one. The same. */
int json_text__add_name(struct json_text *text, const char *name, bool is_next);
/* A string of UTF-8, quoted; a number. The same. */
int json_text__add_string(struct json_text *text, const char *string);
int json_text__add_u64(struct json_text *text, uint64_t value);

/* What the whole text is, to be given back with json_object_put(); NULL: no memory. */
struct json_object *json_text__object(const struct json_text *text);
/* The same; frees the text, which is all 0 then. */
struct json_object *json_text__take_object(struct json_text *text);

#endif
