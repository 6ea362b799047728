// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/note_list.h"

void note_list__add(struct note_list *notes, const char *format, ...)
{
	va_list args;
	char *line;
	size_t i;
	int n;

	if (notes->n == NOTE_LIST_MAX)
		return;
	va_start(args, format);
	n = vasprintf(&line, format, args);
	va_end(args);
	if (n < 0)
		return;
	if (notes->n == NOTE_LIST_MAX - 1) {
		free(line);
		line = strdup(
			"there is more to note: after so many notes no further ones are kept");
		if (!line)
			return;
	}
	for (i = 0; i < notes->n; i++)
		if (!strcmp(notes->lines[i], line))
			goto drop;
	if (array__grow((void **)&notes->lines, &notes->room, notes->n, sizeof(*notes->lines)) < 0)
		goto drop;
	notes->lines[notes->n++] = line;
	return;
drop:
	free(line);
}

void note_list__clear(struct note_list *notes)
{
	while (notes->n)
		free(notes->lines[--notes->n]);
	free(notes->lines);
	*notes = (struct note_list){ 0 };
}
