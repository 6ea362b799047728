/* SPDX-License-Identifier: GPL-2.0-only */
/* A file that a command makes of recordings, as a whole, with the rights of who asked for it. */
#ifndef USER_COMMAND_MADE_FILE_H
#define USER_COMMAND_MADE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "inputs/report_parts.h"

/*
 * Makes the file at path with what write() puts into it; see owned_file__write(). One that is there
 * is replaced only if force says so, and never what is no plain file, or one of the recordings.
 * Under sudo, the process becomes the user who called it: what is read must be open by then. 0,
 * what write() said, or a negative errno.
 */
int made_file__write(const char *path, bool force, const struct report_parts *parts,
		     int (*write)(void *context, FILE *out, struct error *err), void *context,
		     struct error *err);

#endif
