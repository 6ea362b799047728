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

/* Marks of several kinds of files, at most 64. */
struct file_marks_list {
	const struct file_marks *items;
	size_t n;
};

#endif
