/* SPDX-License-Identifier: GPL-2.0-only */
/* Records that are objects, and values of them. Most are text, see record_text.h. */
#ifndef USER_SINK_JSON_VALUE_H
#define USER_SINK_JSON_VALUE_H

#include <stdbool.h>
#include <json-c/json.h>

#include "report/report.h"
#include "tmtrace/number.h"

/* A record with its common fields; NULL without memory. */
struct json_object *json_value__record(const struct report_run *run, const char *type,
				       __u64 time_ns);

/* A string with U+FFFD for what is not UTF-8; text NULL: null. */
struct json_object *json_value__string(const char *text);

/*
 * Adds a member, or changes the one of that name; takes the value. The name is copied unless the
 * compiler sees that it is a literal. The same below.
 */
static inline void json_value__add(struct json_object *object, const char *name,
				   struct json_object *value)
{
	json_object_object_add_ex(object, name, value,
				  __builtin_constant_p(name) ? JSON_C_OBJECT_ADD_CONSTANT_KEY : 0);
}

static inline void json_value__add_string(struct json_object *object, const char *name,
					  const char *text)
{
	json_value__add(object, name, json_value__string(text));
}

static inline void json_value__add_u64(struct json_object *object, const char *name, __u64 value)
{
	json_value__add(object, name, json_object_new_uint64(value));
}

/* null unless it was measured */
static inline void json_value__add_measured(struct json_object *object, const char *name,
					    __u64 value, bool measured)
{
	json_value__add(object, name, measured ? json_object_new_uint64(value) : NULL);
}

/* A process's or thread's number (tmtrace/number.h); null unless it is known. */
static inline void json_value__add_number(struct json_object *object, const char *name,
					  __u32 number, bool known)
{
	json_value__add(object, name, known ? json_object_new_int64(tm_number(number)) : NULL);
}

/* A string as JSON text, with its quotes, to be freed with free(). NULL without memory. */
char *json_value__quoted(const char *text);

#endif
