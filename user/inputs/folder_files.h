/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists the recordings in a folder that is named in place of a recording. */
#ifndef USER_INPUTS_FOLDER_FILES_H
#define USER_INPUTS_FOLDER_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Paths of files, to be ended with path_list__free(); all 0 is an empty one. */
struct path_list {
	char **at;
	size_t n, room;
};

int path_list__add(struct path_list *list, const char *path); /* a copy of it. 0 or -ENOMEM */
void path_list__free(struct path_list *list);

bool folder_files__is_folder(const char *path);

/*
 * Adds the regular files in a folder, links to such too, in the order of their names; not the
 * hidden ones, nor what is in further folders. Errors: why it cannot be read, -ENOENT: there are
 * none, -ENOMEM.
 */
int folder_files__add(struct path_list *list, const char *folder, struct error *err);

#endif
