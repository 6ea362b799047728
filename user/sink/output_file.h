/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file that is written while tmtrace runs. It is made with the rights of who called sudo: a rule
 * of sudo for tmtrace is none for files. Made by root for the user of --user, it is given to that
 * user. Root follows nobody else's symbolic links (base/place.h).
 */
#ifndef USER_SINK_OUTPUT_FILE_H
#define USER_SINK_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/identity.h"
#include "base/place.h"

struct output_file;

/*
 * Opens the file at path; user: of --user, NULL without. What is there stays as it is until
 * output_file__begin(); with append, it stays for good. Errors: -EEXIST for a recording, which is
 * never overwritten; -EPERM; what opening says.
 */
int output_file__open(struct output_file **out, const char *path, const char *user, bool append,
		      struct error *err);

/* To be written to after output_file__begin(). */
FILE *output_file__stream(const struct output_file *file);

/* All that can fail has not: what was there goes. */
int output_file__begin(struct output_file *file, struct error *err);

/* One that was made here, and never begun, is removed. Why not all is written; NULL is fine. */
int output_file__close(struct output_file *file, struct error *err);

/*
 * For files of other kinds: acts as who has the right to make them, until identity__leave(); then
 * output_file__give() hands over the open file, if it is a plain one.
 */
int output_file__enter_maker(const char *user, struct error *err);
int output_file__give(int fd, const char *path, const char *user, struct error *err);

#endif
