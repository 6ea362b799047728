// SPDX-License-Identifier: GPL-2.0-only
/* docs/records.md has every field of a series, the templates for Elasticsearch its type. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>

#include "report/series_fields.h"
#include "source_path.h"

static char *read_text(const char *name)
{
	FILE *file = fopen(source_path(name), "r");
	char *text = NULL;
	size_t room = 0;

	assert_non_null(file);
	assert_true(getdelim(&text, &room, '\0', file) > 0);
	fclose(file);
	return text;
}

/* The part about a type of record: from its heading to the next; to be freed. */
static char *section_of(const char *text, const char *type)
{
	for (const char *at = text; (at = strstr(at, "\n## `")); at++) {
		const char *line_end = strchr(at + 1, '\n');
		const char *end = strstr(at + 1, "\n## ");
		char name[64];
		const char *found;

		snprintf(name, sizeof(name), "`%s`", type);
		found = strstr(at, name);
		if (found && found < line_end)
			return end ? strndup(at, (size_t)(end - at)) : strdup(at);
	}
	return NULL;
}

/* Is it in the first column of a table? */
static bool has_row(const char *section, const char *field)
{
	char name[64];

	snprintf(name, sizeof(name), "`%s`", field);
	for (const char *at = section; (at = strstr(at, "\n| ")); at++) {
		const char *found = strstr(at, name);

		if (found && found < strchr(at + 3, '|'))
			return true;
	}
	return false;
}

/* Does it have it, in a table or in its text? */
static bool tells_of(const char *section, const char *field)
{
	char name[64];

	snprintf(name, sizeof(name), "`%s`", field);
	return strstr(section, name) != NULL;
}

/* What a type says nothing of is as it is in functions. */
static void test_documented(void **state)
{
	char *text = read_text("docs/records.md");
	char *functions = section_of(text, "function");

	(void)state;
	assert_non_null(functions);
	for (unsigned int record = 1; record & IN_ALL; record <<= 1) {
		char *section = section_of(text, series_record__type(record));

		assert_non_null(section);
		for (size_t i = 0; i < series_fields_n; i++) {
			const struct series_field *field = &series_fields[i];
			bool in_functions = field->records & IN_CALLS;

			if (field->records & record && !tells_of(section, field->name) &&
			    !(in_functions && has_row(functions, field->name)))
				fail_msg("docs/records.md has no %s of %s", field->name,
					 series_record__type(record));
		}
		free(section);
	}
	free(functions);
	free(text);
}

static bool is_field(const char *name, size_t length)
{
	for (size_t i = 0; i < series_fields_n; i++)
		if (series_fields[i].records & IN_CALLS &&
		    strlen(series_fields[i].name) == length &&
		    !memcmp(series_fields[i].name, name, length))
			return true;
	return false;
}

/* From the count to the percentiles, the table of functions has fields that there are, alone. */
static void test_no_others(void **state)
{
	char *text = read_text("docs/records.md");
	char *section = section_of(text, "function");
	char *at = strstr(section, "\n| `count` |"), *end = strstr(section, "\n| `scheme`");
	size_t n = 0;

	(void)state;
	assert_true(at && end && at < end);
	for (; at < end; at = strchr(at + 1, '\n')) {
		const char *column_end = strchr(at + 3, '|');

		for (char *name = at; (name = strchr(name, '`')) && name < column_end; n++) {
			size_t length = strcspn(++name, "`");

			if (!is_field(name, length) && strncmp(name, "errors_by`", length + 1) != 0)
				fail_msg("docs/records.md: functions have no %.*s", (int)length,
					 name);
			name += length + 1;
		}
	}
	assert_in_range(n, 20, 100);
	free(section);
	free(text);
}

/* tmtrace-addb-state and so on. */
static struct json_object *properties_of(struct json_object *templates, const char *type)
{
	static const char *const path[] = { "template", "mappings", "properties" };
	struct json_object *found;
	char name[64];

	snprintf(name, sizeof(name), "tmtrace-%s", type);
	for (char *c = name; *c; c++)
		*c = *c == '_' ? '-' : *c;
	assert_true(json_object_object_get_ex(templates, name, &found));
	for (size_t i = 0; i < sizeof(path) / sizeof(*path); i++)
		assert_true(json_object_object_get_ex(found, path[i], &found));
	return found;
}

static void test_templates(void **state)
{
	struct json_object *templates =
		json_object_from_file(source_path("docs/examples/elasticsearch.json"));

	(void)state;
	assert_non_null(templates);
	for (unsigned int record = 1; record & IN_ALL; record <<= 1) {
		struct json_object *properties =
			properties_of(templates, series_record__type(record));

		for (size_t i = 0; i < series_fields_n; i++) {
			const struct series_field *field = &series_fields[i];
			struct json_object *type;

			if (!(field->records & record))
				continue;
			if (!json_object_object_get_ex(properties, field->name, &type) ||
			    !json_object_object_get_ex(type, "type", &type))
				fail_msg("%s of %s has no type", field->name,
					 series_record__type(record));
			assert_string_not_equal(json_object_get_string(type), "keyword");
		}
	}
	json_object_put(templates);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_documented),
		cmocka_unit_test(test_no_others),
		cmocka_unit_test(test_templates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
