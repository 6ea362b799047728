/* SPDX-License-Identifier: GPL-2.0-only */
/* A list of files, each once however many names it has, and of what could not be read. */
#ifndef USER_ELF_LIBRARIES_H
#define USER_ELF_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct libraries;

struct library {
	const char *path;	   /* absolute, symbolic links resolved */
	const char *name;	   /* the base name under which it was found */
	const char *soname;	   /* NULL: it has none */
	const char *copier_symbol; /* as elf_file__copier_symbol(); NULL: none, or not known */
	dev_t dev;
	ino_t ino;
};

struct libraries *libraries__new(void);	      /* NULL: out of memory */
void libraries__free(struct libraries *list); /* NULL is fine */

size_t libraries__n(const struct libraries *list);
/* Valid until the list is changed or freed; its strings until it is freed. */
const struct library *libraries__at(const struct libraries *list, size_t i);
bool libraries__has(const struct libraries *list, dev_t dev, ino_t ino);

/* Adds a file found at path, with its links resolved. 0 (also when it is there), -ENOMEM, -ENOENT.
 */
int libraries__add(struct libraries *list, const char *path, const char *soname, dev_t dev,
		   ino_t ino);

/* The file defines a symbol of a copier of code. */
void libraries__mark_copier(struct libraries *list, dev_t dev, ino_t ino, const char *symbol);

/* What somebody should know: one line for each library that is missing or cannot be read. */
size_t libraries__n_notes(const struct libraries *list);
const char *libraries__note(const struct libraries *list, size_t i);
/* Takes a line; one that is there already is not added again. 0 or -ENOMEM. */
int libraries__add_note(struct libraries *list, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
