// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <json-c/json.h>
#include <linux/types.h>

#include "service/request.h"

/* A request is flat; json-c's own limit is 32. */
#define DEPTH 4

/* Formats of metrics. */
#define PROMETHEUS  "prometheus"
#define OPENMETRICS "openmetrics"

static const char *const kinds[REQUEST_KINDS] = {
	[REQUEST_STATUS] = "status", [REQUEST_DUMP] = "dump",	    [REQUEST_REPORT] = "report",
	[REQUEST_SET] = "set",	     [REQUEST_METRICS] = "metrics",
};

static int refuse(struct error *err, const char *what)
{
	return error__set(err, -EINVAL, "not understood: %s", what);
}

static int read_kind(struct request *out, struct json_object *value, struct error *err)
{
	if (!json_object_is_type(value, json_type_string))
		return refuse(err, "request is no string");
	for (out->kind = 0; out->kind < REQUEST_KINDS; out->kind++)
		if (!strcmp(json_object_get_string(value), kinds[out->kind]))
			return 0;
	return refuse(err, "there is no such request; known are status, dump, report, set and "
			   "metrics");
}

static int read_text(char *out, size_t room, struct json_object *value, const char *wrong,
		     struct error *err)
{
	const char *text = json_object_get_string(value);
	size_t length = (size_t)json_object_get_string_len(value);

	if (!json_object_is_type(value, json_type_string) || !length || length >= room ||
	    strlen(text) != length)
		return refuse(err, wrong);
	memcpy(out, text, length + 1);
	return 0;
}

static int read_job(struct request *out, struct json_object *value, struct error *err)
{
	return read_text(out->job, sizeof(out->job), value,
			 "job is no name, too long, or has a NUL", err);
}

static int read_layers(struct request *out, struct json_object *value, struct error *err)
{
	return read_text(out->layers, sizeof(out->layers), value,
			 "layers is no list of names with commas", err);
}

static int read_level(struct request *out, struct json_object *value, struct error *err)
{
	const char *text = json_object_get_string(value);

	for (out->level = 0; out->level <= LEVELS_DEFAULT; out->level++) {
		if (json_object_is_type(value, json_type_string) &&
		    !strcmp(text, levels_names[out->level])) {
			out->has_level = true;
			return 0;
		}
	}
	return refuse(err, "level is one of off, summary, histogram, calls and default");
}

/* A number from 0 to most. */
static int read_number(struct json_object *value, __s64 most, __s64 *out)
{
	*out = json_object_get_int64(value);
	return json_object_is_type(value, json_type_int) && *out >= 0 && *out <= most ? 0 : -EINVAL;
}

static int read_sample(struct request *out, struct json_object *value, struct error *err)
{
	__s64 sample;

	if (read_number(value, REQUEST_SAMPLE, &sample) < 0)
		return refuse(err, "sample is no number up to 1000000000");
	out->choice.sample = (__u32)sample;
	return 0;
}

static int read_least(struct request *out, struct json_object *value, struct error *err)
{
	__s64 ns;

	if (read_number(value, INT64_MAX, &ns) < 0)
		return refuse(err, "min_duration_ns is no time");
	out->choice.min_ns = (__u64)ns;
	return 0;
}

static int read_probes(struct request *out, struct json_object *value, struct error *err)
{
	if (!json_object_is_type(value, json_type_boolean))
		return refuse(err, "probes is neither true nor false");
	out->probes = json_object_get_boolean(value);
	return 0;
}

static int read_timelines(struct request *out, struct json_object *value, struct error *err)
{
	if (!json_object_is_type(value, json_type_boolean))
		return refuse(err, "timelines is neither true nor false");
	out->timelines = json_object_get_boolean(value);
	return 0;
}

static int read_format(struct request *out, struct json_object *value, struct error *err)
{
	const char *text = json_object_get_string(value);

	if (!json_object_is_type(value, json_type_string) ||
	    (strcmp(text, PROMETHEUS) != 0 && strcmp(text, OPENMETRICS) != 0))
		return refuse(err, "format is one of " PROMETHEUS " and " OPENMETRICS);
	out->openmetrics = !strcmp(text, OPENMETRICS);
	return 0;
}

static int read_uid(struct request *out, struct json_object *value, struct error *err)
{
	__s64 uid = json_object_get_int64(value);

	/* The last one is nobody's: -1 as setuid(2) has it. */
	if (!json_object_is_type(value, json_type_int) || uid < 0 || uid >= UINT32_MAX)
		return refuse(err, "uid is no number of a user");
	out->has_uid = true;
	out->uid = (uid_t)uid;
	return 0;
}

static const struct {
	const char *name;
	int (*read)(struct request *out, struct json_object *value, struct error *err);
} members[] = {
	{ "request", read_kind },  { "job", read_job },
	{ "probes", read_probes }, { "uid", read_uid },
	{ "level", read_level },   { "layers", read_layers },
	{ "sample", read_sample }, { "min_duration_ns", read_least },
	{ "format", read_format }, { "timelines", read_timelines },
};

static int read_member(struct request *out, const char *name, struct json_object *value,
		       struct error *err)
{
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		if (!strcmp(name, members[i].name))
			return members[i].read(out, value, err);
	return refuse(err, "known members are request, job, probes, uid, level, layers, sample, "
			   "min_duration_ns, format and timelines");
}

static int read_members(struct request *out, struct json_object *object, struct error *err)
{
	int ret = 0;

	*out = (struct request){ .kind = REQUEST_KINDS };
	if (!json_object_is_type(object, json_type_object))
		return refuse(err, "a line with a JSON object is needed");
	json_object_object_foreach(object, name, value)
	{
		if (ret == 0)
			ret = read_member(out, name, value, err);
	}
	if (ret == 0 && out->kind == REQUEST_KINDS)
		ret = refuse(err, "request is missing");
	if (ret == 0 && out->has_uid && !out->job[0])
		ret = refuse(err, "uid goes with job");
	if (ret == 0 && out->kind == REQUEST_SET && !out->has_level)
		ret = refuse(err, "level is missing");
	return ret;
}

int request__parse(struct request *out, const char *line, size_t n, struct error *err)
{
	struct json_tokener *tokener = json_tokener_new_ex(DEPTH);
	struct json_object *object;
	bool whole;
	int ret;

	if (!tokener)
		return error__set(err, -ENOMEM, "no memory");
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	object = json_tokener_parse_ex(tokener, line, (int)n);
	whole = json_tokener_get_error(tokener) == json_tokener_success &&
		json_tokener_get_parse_end(tokener) == n;
	ret = whole ? read_members(out, object, err) : refuse(err, "no JSON object");
	json_object_put(object);
	json_tokener_free(tokener);
	return ret;
}

char *request__line(const struct request *request)
{
	struct json_object *object = json_object_new_object();
	char *line = NULL;

	if (!object)
		return NULL;
	json_object_object_add(object, "request", json_object_new_string(kinds[request->kind]));
	if (request->job[0])
		json_object_object_add(object, "job", json_object_new_string(request->job));
	if (request->probes)
		json_object_object_add(object, "probes", json_object_new_boolean(1));
	if (request->timelines)
		json_object_object_add(object, "timelines", json_object_new_boolean(1));
	if (request->has_uid)
		json_object_object_add(object, "uid", json_object_new_int64(request->uid));
	if (request->has_level)
		json_object_object_add(object, "level",
				       json_object_new_string(levels_names[request->level]));
	if (request->layers[0])
		json_object_object_add(object, "layers", json_object_new_string(request->layers));
	if (request->choice.sample)
		json_object_object_add(object, "sample",
				       json_object_new_int64(request->choice.sample));
	if (request->choice.min_ns)
		json_object_object_add(object, "min_duration_ns",
				       json_object_new_int64((__s64)request->choice.min_ns));
	if (request->openmetrics)
		json_object_object_add(object, "format", json_object_new_string(OPENMETRICS));
	if (asprintf(&line, "%s\n",
		     json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN)) < 0)
		line = NULL;
	json_object_put(object);
	return line;
}
