/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading a small file whole, and listing a folder's catalogue files. */
#ifndef USER_BASE_TEXT_FILE_H
#define USER_BASE_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Bytes; the shipped files have some thousand. */
#define TEXT_FILE_MAX (1 << 20)

/*
 * Reads a regular file of at most TEXT_FILE_MAX bytes. Returns 0, *text (to be freed) and *len in
 * bytes; or a negative errno (-EFBIG: too large) and err "PATH: ...".
 */
int text_file__read(const char *path, char **text, size_t *len, struct error *err);

/* Is this a folder that can be looked up? */
bool text_file__is_folder(const char *path);

/*
 * The paths of *.yaml in a folder (no hidden ones), sorted by name. Returns 0, *paths and *n, to
 * be freed with text_file__free_list(); or a negative errno (-ENOENT: there is none) and err.
 */
int text_file__list(const char *folder, char ***paths, size_t *n, struct error *err);
void text_file__free_list(char **paths, size_t n);

#endif
