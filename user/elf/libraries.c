// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"
#include "elf/libraries.h"

#define NOTE_MAX 1024 /* a longer line is cut */

struct libraries {
	struct library *items;
	size_t n;
	size_t room;
	char **notes;
	size_t n_notes;
	size_t notes_room;
};

struct libraries *libraries__new(void)
{
	return calloc(1, sizeof(struct libraries));
}

static void free_item(struct library *item)
{
	free((void *)item->path);
	free((void *)item->name);
	free((void *)item->soname);
}

void libraries__free(struct libraries *list)
{
	if (!list)
		return;
	for (size_t i = 0; i < list->n; i++)
		free_item(&list->items[i]);
	for (size_t i = 0; i < list->n_notes; i++)
		free(list->notes[i]);
	free(list->items);
	free((void *)list->notes);
	free(list);
}

size_t libraries__n(const struct libraries *list)
{
	return list->n;
}

const struct library *libraries__at(const struct libraries *list, size_t i)
{
	return &list->items[i];
}

bool libraries__has(const struct libraries *list, dev_t dev, ino_t ino)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->items[i].ino == ino && list->items[i].dev == dev)
			return true;
	}
	return false;
}

int libraries__add(struct libraries *list, const char *path, const char *soname, dev_t dev,
		   ino_t ino)
{
	struct library *item;
	char real[PATH_MAX];

	if (libraries__has(list, dev, ino))
		return 0;
	if (!realpath(path, real))
		return -errno;
	if (array__grow((void **)&list->items, &list->room, list->n, sizeof(*list->items)) < 0)
		return -ENOMEM;
	item = &list->items[list->n];
	*item = (struct library){ .dev = dev, .ino = ino };
	item->path = strdup(real);
	item->name = strdup(path__base_name(path));
	item->soname = soname ? strdup(soname) : NULL;
	if (!item->path || !item->name || (soname && !item->soname)) {
		free_item(item);
		return -ENOMEM;
	}
	list->n++;
	return 0;
}

void libraries__mark_copier(struct libraries *list, dev_t dev, ino_t ino, const char *symbol)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->items[i].ino == ino && list->items[i].dev == dev)
			list->items[i].copier_symbol = symbol;
}

size_t libraries__n_notes(const struct libraries *list)
{
	return list->n_notes;
}

const char *libraries__note(const struct libraries *list, size_t i)
{
	return list->notes[i];
}

int libraries__add_note(struct libraries *list, const char *format, ...)
{
	char line[NOTE_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	for (size_t i = 0; i < list->n_notes; i++) {
		if (strcmp(list->notes[i], line) == 0)
			return 0;
	}
	if (array__grow((void **)&list->notes, &list->notes_room, list->n_notes,
			sizeof(*list->notes)) < 0)
		return -ENOMEM;
	list->notes[list->n_notes] = strdup(line);
	if (!list->notes[list->n_notes])
		return -ENOMEM;
	list->n_notes++;
	return 0;
}
