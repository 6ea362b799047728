// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "base/units.h"
#include "report/row_writer.h"

struct row_writer row_writer__begin(struct grid *grid)
{
	return (struct row_writer){ .grid = grid, .ret = grid__row(grid) };
}

void row_writer__text(struct row_writer *writer, const char *text)
{
	if (!writer->ret && text && *text)
		writer->ret = grid__set(writer->grid, writer->column, text);
	writer->column++;
}

void row_writer__count(struct row_writer *writer, __u64 count)
{
	char text[UNITS_ROOM];

	row_writer__text(writer, count ? units__count(text, count) : NULL);
}

/* text, which an estimate has a sign in front of; NULL: empty. */
static void put_measured(struct row_writer *writer, const char *text)
{
	char about[UNITS_ROOM + 1];

	if (writer->about && text) {
		snprintf(about, sizeof(about), "~%s", text);
		text = about;
	}
	row_writer__text(writer, text);
}

void row_writer__number(struct row_writer *writer, __u64 count)
{
	char text[UNITS_ROOM];

	put_measured(writer, units__count(text, count));
}

void row_writer__time(struct row_writer *writer, __u64 ns, bool is_known)
{
	char text[UNITS_ROOM];

	put_measured(writer, is_known ? units__time(text, ns) : NULL);
}

void row_writer__bytes(struct row_writer *writer, __u64 bytes, bool is_known)
{
	char text[UNITS_ROOM];

	put_measured(writer, is_known ? units__bytes(text, bytes) : NULL);
}

void row_writer__share(struct row_writer *writer, __u64 part, __u64 whole)
{
	char text[UNITS_ROOM];

	row_writer__text(writer, units__share(text, part, whole));
}
