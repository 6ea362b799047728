/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many files this process may have open. A run needs some hundred: maps, programs, links, an
 * event for each processor. Shells and batch systems may allow less, or 1,024.
 */
#ifndef USER_BASE_FILE_LIMIT_H
#define USER_BASE_FILE_LIMIT_H

#include <stdbool.h>

#include "base/error.h"

/*
 * Raises the limit, as far as this process may, and remembers what it was. Called once, before
 * anything else is opened.
 */
void file_limit__raise(void);

/* Gives this process the limit back that it was started with, for a program that it executes. */
void file_limit__restore(void);

/*
 * Files that a run may need at least. Where fewer may be open, -EMFILE: said before anything is
 * tried, because what is tried then fails one by one, as if the kernel could not do it.
 */
int file_limit__check(struct error *err);

/* Does the error say that something of the machine, or of this process, is used up? */
bool file_limit__is_shortage(int code);

/*
 * What is used up, and the way out, for a message, where file_limit__is_shortage(): valid until the
 * next call by the same thread.
 */
const char *file_limit__explain(int code);

#endif
