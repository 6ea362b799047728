/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines for the user about what is degraded, each once. */
#ifndef USER_BASE_NOTE_LIST_H
#define USER_BASE_NOTE_LIST_H

#include <stddef.h>

/* A service runs for months: the last one says that there were more. */
#define NOTE_LIST_MAX 1000

struct note_list {
	char **lines;
	size_t n, room;
};

/* Adds a line unless it is there; without memory it is dropped. */
void note_list__add(struct note_list *notes, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void note_list__clear(struct note_list *notes);

#endif
