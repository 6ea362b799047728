// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sink/json_value.h"
#include "sink/utf8.h"
#include "tmtrace/env_job.h"

static void add_time(struct json_object *record, __u64 time_ns)
{
	char text[64], date[32];

	snprintf(text, sizeof(text), "%s.%09lluZ",
		 clock__utc(date, sizeof(date), time_ns, JSON_DATE), time_ns % NS_PER_S);
	json_value__add_string(record, "time", text);
	json_value__add_u64(record, "time_ns", time_ns);
}

struct json_object *json_value__record(const struct report_run *run, const char *type,
				       __u64 time_ns)
{
	struct json_object *record = json_object_new_object();

	if (!record)
		return NULL;
	json_value__add(record, "v", json_object_new_int(1));
	json_value__add_string(record, "type", type);
	add_time(record, time_ns);
	json_value__add_string(record, "hostname", run->hostname);
	json_value__add_string(record, "epoch", run->epoch);
	return record;
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

struct json_object *json_value__hex(__u64 value)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%llx", value);
	return json_object_new_string(text);
}

void json_value__expect(struct json_object *object, int members)
{
	int room = JSON_OBJECT_DEF_HASH_ENTRIES;

	/* It doubles on its way, each time with all that it has, when it is fuller than this. */
	while (room * LH_LOAD_FACTOR <= members)
		room *= 2;
	lh_table_resize(json_object_get_object(object), room);
}

void json_value__add_cgroup(struct json_object *object, __u64 job, bool known)
{
	json_value__add_measured(object, "cgroup_id", job, known && !tm_env_job_is(job));
}

static struct json_object *bucket(__u32 number, __u64 count)
{
	struct json_object *array = json_object_new_array_ext(3);

	if (!array)
		return NULL;
	json_object_array_add(array, json_object_new_uint64(tm_bucket_lower(number)));
	json_object_array_add(array, json_object_new_uint64(tm_bucket_upper(number)));
	json_object_array_add(array, json_object_new_uint64(count));
	return array;
}

struct json_object *json_value__buckets(const struct histogram *histogram)
{
	struct json_object *array = json_object_new_array();

	if (!array)
		return NULL;
	for (__u32 i = 0; i < histogram->n; i++) {
		if (histogram->count[i])
			json_object_array_add(array,
					      bucket(histogram->first + i, histogram->count[i]));
	}
	return array;
}

struct json_object *json_value__size_class(__u32 class)
{
	struct json_object *array = json_object_new_array_ext(3);
	__u64 smallest = class ? tm_object_size_edge(class - 1) + 1 : 0;
	bool last = class == TM_OBJECT_SIZES - 1;

	if (!array)
		return NULL;
	json_object_array_add(array, json_object_new_uint64(smallest));
	json_object_array_add(array,
			      last ? NULL : json_object_new_uint64(tm_object_size_edge(class)));
	return array;
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
