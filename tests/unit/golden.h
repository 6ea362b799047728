/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whole tables against golden files: UPDATE_GOLDEN=1 writes them anew, from the source root. To be
 * included once, after cmocka.h.
 */
#ifndef TESTS_UNIT_GOLDEN_H
#define TESTS_UNIT_GOLDEN_H

#include "report/table.h"
#include "sample_run.h"
#include "source_path.h"

static inline void check_golden(const char *name, const char *text)
{
	char below[64], golden[65536];
	const char *path;
	FILE *file;
	size_t n;

	snprintf(below, sizeof(below), "tests/unit/data/golden_%s.txt", name);
	path = source_path(below);
	if (getenv("UPDATE_GOLDEN")) {
		file = fopen(path, "w");
		assert_non_null(file);
		assert_true(fputs(text, file) >= 0);
		assert_int_equal(fclose(file), 0);
	}
	file = fopen(path, "r");
	if (!file)
		fail_msg("%s is missing: UPDATE_GOLDEN=1 makes it", path);
	n = fread(golden, 1, sizeof(golden) - 1, file);
	fclose(file);
	golden[n] = '\0';
	assert_string_equal(text, golden);
}

typedef int (*print_function)(const struct table_options *options, const struct report_run *run,
			      const struct snapshot *snapshot, struct error *err);

/* Not inlined: gcc 12 would take the text for one on the stack. To be freed. */
static __attribute__((noinline)) char *print_text(const struct sample *sample,
						  struct table_options options,
						  print_function print)
{
	char *text = NULL;
	struct error err;
	size_t n;

	options.out = open_memstream(&text, &n);
	assert_non_null(options.out);
	assert_int_equal(print(&options, &sample->run, &sample->snapshot, &err), 0);
	fclose(options.out);
	return text;
}

static inline unsigned int longest_line(const char *text)
{
	unsigned int longest = 0, n = 0;

	for (; *text; text++) {
		n = *text == '\n' ? 0 : n + (((unsigned char)*text & 0xc0) != 0x80);
		longest = n > longest ? n : longest;
	}
	return longest;
}

/* The part of a text that is tables: notes and headings are as long as they are. */
static inline unsigned int longest_table_line(char *text)
{
	char *tables = strchr(strchr(strchr(text, '\n') + 1, '\n') + 1, '\n');
	char *notes = strstr(text, "\nnotes:");

	if (notes)
		*notes = '\0';
	return longest_line(tables);
}

#endif
