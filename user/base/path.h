/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_BASE_PATH_H
#define USER_BASE_PATH_H

#include <stdio.h>
#include <string.h>

/* The last part of a path, as basename(3) of GNU: a part of it, nothing is copied. */
static inline const char *path__base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Room for what path__of_fd() writes. */
#define PATH_OF_FD 32

/* By which a file that is open can be opened again, whatever it is called by now. Returns path. */
static inline const char *path__of_fd(char path[PATH_OF_FD], int fd)
{
	snprintf(path, PATH_OF_FD, "/proc/self/fd/%d", fd);
	return path;
}

#endif
