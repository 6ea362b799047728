// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "page/trim.h"

/* What there is of one; they end with NULL. */
static const char *const dropped[] = { "v",	 "type",  "time",      "time_ns", "epoch",
				       "scheme", "final", "timestamp", "wtime",	  NULL };
static const char *const ids[] = { "id", "parent_id", "call_id", NULL };
static const char *const times[] = { "start_ns",
				     "end_ns",
				     "launch_ns",
				     "complete_ns",
				     "first_ns",
				     "last_ns",
				     "open_first_ns",
				     "open_last_ns",
				     "close_first_ns",
				     "close_last_ns",
				     "parked_since_ns",
				     "untimed_since_ns",
				     NULL };

static bool is_among(const char *const *names, const char *name)
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names != NULL;
}

/* In place: the member's own number, or a string instead of it. */
static void change(struct json_object *object, const char *name, struct json_object *value,
		   __u64 origin_ns)
{
	__u64 number = json_object_get_uint64(value);
	char text[24];

	if (is_among(times, name)) {
		json_object_set_int64(value, (__s64)(number - origin_ns));
	} else if (is_among(ids, name)) {
		snprintf(text, sizeof(text), "%llu", number);
		json_object_object_add_ex(object, name, json_object_new_string(text), 0);
	}
}

/* Is it said of the whole page, or not known? */
static bool is_common(struct json_object *hostname, const struct page_common *common)
{
	return !hostname ||
	       (common->hostname && !strcmp(json_object_get_string(hostname), common->hostname));
}

static void trim_value(struct json_object *value, const struct page_common *common);

static void trim_members(struct json_object *object, const struct page_common *common)
{
	struct json_object_iterator at, end;
	struct json_object *hostname;

	if (json_object_object_get_ex(object, "hostname", &hostname) && is_common(hostname, common))
		json_object_object_del(object, "hostname");
	at = json_object_iter_begin(object);
	end = json_object_iter_end(object);
	for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
		const char *name = json_object_iter_peek_name(&at);
		struct json_object *value = json_object_iter_peek_value(&at);

		if (json_object_is_type(value, json_type_int))
			change(object, name, value, common->origin_ns);
		else
			trim_value(value, common);
	}
}

static void trim_value(struct json_object *value, const struct page_common *common)
{
	if (json_object_is_type(value, json_type_object)) {
		trim_members(value, common);
	} else if (json_object_is_type(value, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(value); i++)
			trim_value(json_object_array_get_idx(value, i), common);
	}
}

void page_trim__record(struct json_object *record, const struct page_common *common)
{
	for (const char *const *name = dropped; *name; name++)
		json_object_object_del(record, *name);
	trim_members(record, common);
}
