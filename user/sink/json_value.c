// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "sink/json_value.h"
#include "sink/record_tree.h"
#include "sink/utf8.h"

struct json_object *json_value__record(const struct report_run *run, const char *type,
				       __u64 time_ns)
{
	struct record_tree tree = record_tree__new(NULL);

	record__begin(&tree.record, run, type, time_ns, run->hostname);
	record__end(&tree.record);
	return record_tree__take(&tree);
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

char *json_value__quoted(const char *text)
{
	struct json_object *string = json_value__string(text);
	const char *json = json_object_to_json_string_ext(string, JSON_C_TO_STRING_NOSLASHESCAPE);
	char *copy = json ? strdup(json) : NULL;

	json_object_put(string);
	return copy;
}
