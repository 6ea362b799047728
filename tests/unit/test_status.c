// SPDX-License-Identifier: GPL-2.0-only
/* What tmtrace status prints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <json-c/json.h>

#include "service/status.h"

/* With so many functions that are parked; to be freed with free(). */
static char *printed(size_t n_parked)
{
	struct json_object *record = json_tokener_parse("{\"version\":\"1\",\"parked\":[]}");
	struct json_object *parked = NULL;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_true(json_object_object_get_ex(record, "parked", &parked));
	for (size_t i = 0; i < n_parked; i++) {
		struct json_object *one = json_object_new_object();
		char name[32];

		snprintf(name, sizeof(name), "f%zu", i);
		json_object_object_add(one, "layer", json_object_new_string("vfs"));
		json_object_object_add(one, "function", json_object_new_string(name));
		json_object_object_add(one, "reason", json_object_new_string("too\ndear"));
		json_object_array_add(parked, one);
	}
	status__print(record, out);
	fclose(out);
	json_object_put(record);
	return text;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	while ((text = strstr(text, what)) != NULL) {
		n++;
		text++;
	}
	return n;
}

static void test_parked(void **state)
{
	char *text;

	(void)state;
	text = printed(0);
	assert_int_equal(count(text, "parked"), 0);
	free(text);
	text = printed(8);
	assert_int_equal(count(text, "\nparked     f"), 8);
	assert_non_null(strstr(text, "parked     f7 (vfs): too?dear\n"));
	assert_int_equal(count(text, " more;"), 0);
	free(text);
	text = printed(40);
	assert_int_equal(count(text, "\nparked     f"), 7);
	assert_non_null(strstr(text, "\n           and 33 more; --json names them all\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
