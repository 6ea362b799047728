/* SPDX-License-Identifier: GPL-2.0-only */
/* Small helpers for files of /proc and /sys, and for building paths. */
#ifndef USER_HOST_FILES_H
#define USER_HOST_FILES_H

#include <stddef.h>

/*
 * Reads a whole file of at most limit bytes, however its size is given (it is 0 in /proc), and
 * puts a NUL after it. *text is the caller's to free; n, which may be NULL, is without the NUL.
 * Errors: -EFBIG for a longer file, -ENOMEM, or what open and read say; -ESRCH from /proc/PID
 * means that the process is gone.
 */
int files__read(const char *path, size_t limit, char **text, size_t *n);

/* snprintf for a path: 0, or -ENAMETOOLONG where it does not fit. */
int files__path(char *out, size_t room, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Undoes, in place, the \ooo that the kernel writes for the characters in which (as " \t\n\\" in
 * mountinfo, "\n" in maps); others are left as they are.
 */
void files__unescape(char *text, const char *which);

#endif
