/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading back the records that a sink wrote. To be included after sample_run.h. */
#ifndef TESTS_UNIT_JSON_RECORDS_H
#define TESTS_UNIT_JSON_RECORDS_H

#include <json-c/json.h>

#include "sample_run.h"
#include "sink/json.h"

#define RECORDS_MAX 256

/* What a sink wrote, line by line. */
struct records {
	struct json_object *at[RECORDS_MAX];
	size_t n;
};

/* Takes a file apart: every line has to be one object, and the last to end in a newline. */
static inline void read_records(struct records *records, FILE *file)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	records->n = 0;
	rewind(file);
	while ((len = getline(&line, &room, file)) > 0) {
		struct json_object *record = json_tokener_parse(line);

		assert_int_equal(line[len - 1], '\n');
		assert_true(json_object_is_type(record, json_type_object));
		assert_true(records->n < RECORDS_MAX);
		records->at[records->n++] = record;
	}
	free(line);
}

static inline void free_records(struct records *records)
{
	for (size_t i = 0; i < records->n; i++)
		json_object_put(records->at[i]);
}

/* A member, whose absence is a failure. "a.b" is member b of member a. */
static inline struct json_object *member(struct json_object *object, const char *name)
{
	const char *dot = strchr(name, '.');
	struct json_object *value;
	char first[64];

	if (dot) {
		snprintf(first, sizeof(first), "%.*s", (int)(dot - name), name);
		return member(member(object, first), dot + 1);
	}
	if (!json_object_object_get_ex(object, name, &value))
		fail_msg("no %s in %s", name, json_object_to_json_string(object));
	return value;
}

static inline void check_string(struct json_object *record, const char *name, const char *expected)
{
	assert_string_equal(json_object_get_string(member(record, name)), expected);
}

static inline void check_number(struct json_object *record, const char *name, __u64 expected)
{
	struct json_object *value = member(record, name);

	assert_true(json_object_is_type(value, json_type_int));
	if (json_object_get_uint64(value) != expected)
		fail_msg("%s is %s, not %llu", name, json_object_to_json_string(value), expected);
}

static inline void check_null(struct json_object *record, const char *name)
{
	if (member(record, name))
		fail_msg("%s is not null in %s", name, json_object_to_json_string(record));
}

static inline void check_final(struct json_object *record, bool expected)
{
	assert_int_equal(json_object_get_boolean(member(record, "final")), expected);
}

static inline struct json_object *find(const struct records *records, const char *type,
				       const char *layer, const char *function)
{
	for (size_t i = 0; i < records->n; i++) {
		struct json_object *record = records->at[i], *value;

		if (strcmp(json_object_get_string(member(record, "type")), type) == 0 &&
		    json_object_object_get_ex(record, "layer", &value) &&
		    strcmp(json_object_get_string(value), layer) == 0 &&
		    strcmp(json_object_get_string(member(record, "function")), function) == 0)
			return record;
	}
	fail_msg("no %s record of %s %s", type, layer, function);
	return NULL;
}

static inline size_t count_type(const struct records *records, const char *type)
{
	size_t n = 0;

	for (size_t i = 0; i < records->n; i++)
		n += strcmp(json_object_get_string(member(records->at[i], "type")), type) == 0;
	return n;
}

/* The records of a whole run: start, a snapshot, end. */
static inline void write_run(struct sample *sample, struct records *records, bool final)
{
	struct record_sink *sink;
	FILE *file = tmpfile();
	struct error err;

	assert_non_null(file);
	assert_int_equal(sink_json__new(&sink, file, "records", &sample->run, &err), 0);
	assert_int_equal(SINK_CALL(&sink->sink, start, &err), 0);
	assert_int_equal(SINK_CALL(&sink->sink, snapshot, &sample->snapshot, final, &err), 0);
	assert_int_equal(SINK_CALL(&sink->sink, end, &sample->snapshot, &err), 0);
	assert_int_equal(SINK_CALL(&sink->sink, close, &err), 0);
	read_records(records, file);
	fclose(file);
}

#endif
