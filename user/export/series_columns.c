// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/series_columns.h"
#include "report/series_fields.h"

/* So many columns are on a line of the schema, which people read. */
#define COLUMNS_A_LINE 6

/* The kinds of series that a type of records has: a set of enum series_record. */
static unsigned int records_of(const char *type, size_t length)
{
	unsigned int records = 0;

	for (unsigned int record = 1; record & IN_ALL; record <<= 1) {
		const char *name = series_record__type(record);

		if (strlen(name) == length && !memcmp(name, type, length))
			records |= record;
	}
	return records;
}

static void write_columns(FILE *out, unsigned int records)
{
	size_t n = 0;

	for (size_t i = 0; i < series_fields_n; i++) {
		if (!(series_fields[i].records & records))
			continue;
		if (n++)
			fputs(n % COLUMNS_A_LINE == 1 ? ",\n\t" : ", ", out);
		fprintf(out, "%s INTEGER", series_fields[i].name);
		if (series_fields[i].known == KNOWN_ERRORS)
			fputs(", errors_by JSON", out);
	}
}

char *series_columns__expand(const char *sql)
{
	size_t length = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return NULL;
	while (*sql) {
		size_t plain = strcspn(sql, "$");

		fwrite(sql, 1, plain, out);
		sql += plain;
		if (*sql) {
			size_t type = strcspn(++sql, "$");

			write_columns(out, records_of(sql, type));
			sql += type + (sql[type] == '$');
		}
	}
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}
