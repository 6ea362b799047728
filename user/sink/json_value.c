// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "sink/json_value.h"
#include "sink/record_text.h"
#include "tmtrace/env_job.h"

struct json_object *json_value__record(const struct report_run *run, const char *type,
				       __u64 time_ns)
{
	struct json_text text = { 0 };
	struct record_text record = record_text__begin(&text);

	record_text__head(&record, run, type, time_ns, run->hostname);
	record_text__end(&record);
	return json_text__take_object(&text);
}

struct json_object *json_value__string(const char *text)
{
	struct json_object *string;
	char *clean;

	if (!text)
		return NULL;
	if (utf8__is_clean(text))
		return json_object_new_string(text);
	clean = utf8__clean(text);
	string = clean ? json_object_new_string(clean) : NULL;
	free(clean);
	return string;
}

void json_value__add_cgroup(struct json_object *object, __u64 job, bool known)
{
	json_value__add_measured(object, "cgroup_id", job, known && !tm_env_job_is(job));
}

/* Of an object that has nothing else. */
static struct json_object *take_member(struct record_text *record, const char *name)
{
	struct json_object *object, *member = NULL;

	record_text__end(record);
	object = json_text__take_object(record->text);
	if (json_object_object_get_ex(object, name, &member))
		json_object_get(member);
	json_object_put(object);
	return member;
}

struct json_object *json_value__buckets(const struct histogram *histogram)
{
	struct json_text text = { 0 };
	struct record_text record = record_text__begin(&text);

	record_text__buckets(&record, "buckets", histogram);
	return take_member(&record, "buckets");
}

struct json_object *json_value__size_class(__u32 class)
{
	struct json_text text = { 0 };
	struct record_text record = record_text__begin(&text);

	record_text__size_class(&record, "class", class);
	return take_member(&record, "class");
}

char *json_value__members(struct json_object *object)
{
	const int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
	const char *text = object ? json_object_to_json_string_ext(object, flags) : NULL;
	char *copy = text ? strndup(text + 1, strlen(text) - 2) : NULL;

	json_object_put(object);
	return copy;
}

char *json_value__quoted(const char *text)
{
	struct json_object *string = json_value__string(text);
	const char *json = json_object_to_json_string_ext(string, JSON_C_TO_STRING_NOSLASHESCAPE);
	char *copy = json ? strdup(json) : NULL;

	json_object_put(string);
	return copy;
}
