/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_BASE_PATH_H
#define USER_BASE_PATH_H

#include <string.h>

/* The last part of a path, as basename(3) of GNU: a part of it, nothing is copied. */
static inline const char *path__base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

#endif
