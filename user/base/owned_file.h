/* SPDX-License-Identifier: GPL-2.0-only */
/* A file that root writes for a user, in a place where the user can do anything. */
#ifndef USER_BASE_OWNED_FILE_H
#define USER_BASE_OWNED_FILE_H

#include <stdio.h>

#include "base/error.h"

enum owned_file_flag {
	OWNED_FILE_MAKE_FOLDER = 1 << 0, /* where its parent is there */
	OWNED_FILE_OWN_FOLDER = 1 << 1,	 /* one of somebody else, or a link, is refused: -EPERM */
	OWNED_FILE_NEW = 1 << 2,	 /* one that is there stays: -EEXIST */
};

/*
 * Makes the file at path with what write() puts into it, readable by its owner alone. It is made
 * under another name, so that what is at path, a link too, is never written to, but replaced once
 * all is written. flags: enum owned_file_flag. 0, what write() said, or a negative errno.
 */
int owned_file__write(const char *path, unsigned int flags,
		      int (*write)(void *context, FILE *out, struct error *err), void *context,
		      struct error *err);

#endif
