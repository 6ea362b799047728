/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that are left alone, as somebody who maps them copies code: they have no probes from then
 * on, and their functions are in the table of probes as failed, with the reason.
 */
#ifndef USER_ATTACH_ALONE_H
#define USER_ATTACH_ALONE_H

#include "attach/attach.h"

/*
 * Leaves a file alone; path and shown as of attach__library(). 1: it is from now on; 0: it was; or
 * a negative errno, of opening it.
 */
int attach__leave_file(struct attach *attach, const char *path, const char *shown,
		       const char *reason, struct error *err);

/*
 * Leaves all files alone whose name (DT_SONAME, or their file's) matches a pattern (fnmatch;
 * NULL: all), known ones and later ones. 0, or -ENOMEM.
 */
int attach__leave_names(struct attach *attach, const char *pattern, const char *reason);

/* Why the file at path is left alone; NULL: it is not. Valid until a file is added. */
const char *attach__left_alone(const struct attach *attach, const char *path);

#endif
