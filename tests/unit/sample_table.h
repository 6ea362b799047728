/* SPDX-License-Identifier: GPL-2.0-only */
/* What is printed of a made-up run. To be included after sample_run.h, or what includes it. */
#ifndef TESTS_UNIT_SAMPLE_TABLE_H
#define TESTS_UNIT_SAMPLE_TABLE_H

#include "report/table.h"

/* Its tables, to be freed; these options and no others, whatever their stream. */
static inline char *sample__tables_with(const struct sample *sample, struct table_options options)
{
	char *text = NULL;
	struct error err;
	size_t length;

	options.out = open_memstream(&text, &length);
	assert_non_null(options.out);
	assert_int_equal(table__print(&options, &sample->run, &sample->snapshot, &err), 0);
	fclose(options.out);
	return text;
}

static inline char *sample__tables(const struct sample *sample)
{
	return sample__tables_with(sample, (struct table_options){ 0 });
}

/* Says what there is instead. */
static inline void expect_text(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no \"%s\" in:\n%s", part, text);
}

#endif
