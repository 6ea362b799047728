/* SPDX-License-Identifier: GPL-2.0-only */
/* By which symbols a library is known whose name says nothing. */
#ifndef USER_BASE_FILE_MARKS_H
#define USER_BASE_FILE_MARKS_H

#include <stddef.h>

/*
 * A file has these marks when it defines and exports all of the first, of which there must be one,
 * and takes none of the others from another file. The names are borrowed.
 */
struct file_marks {
	const char *const *exports;
	size_t n_exports;
	const char *const *imports;
	size_t n_imports;
};

#define FILE_MARKS_MAX 64

/* Marks of several kinds of files; those beyond so many are not looked for. */
struct file_marks_list {
	const struct file_marks *items;
	size_t n;
};

#endif
