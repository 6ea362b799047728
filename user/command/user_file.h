/* SPDX-License-Identifier: GPL-2.0-only */
/* Output files belong to who the tracing is for, and are made with that user's rights. */
#ifndef USER_COMMAND_USER_FILE_H
#define USER_COMMAND_USER_FILE_H

#include "base/error.h"

/*
 * Calls make(), which makes the file at path, with the rights of who called sudo: a sudo rule for
 * tmtrace is not one for files. user: of --user, NULL without; the file is then made with the own
 * rights and given to that user. What make() returns, or a negative errno.
 */
int user_file__make(const char *path, const char *user,
		    int (*make)(void *context, const char *path, struct error *err), void *context,
		    struct error *err);

#endif
