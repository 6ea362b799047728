/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TESTS_UNIT_SOURCE_PATH_H
#define TESTS_UNIT_SOURCE_PATH_H

#include <stdio.h>
#include <stdlib.h>

/* A path below the source root: the environment variable SOURCE_DIR, else here. Until the next. */
static inline const char *source_path(const char *name)
{
	static char path[4096];
	const char *root = getenv("SOURCE_DIR");

	snprintf(path, sizeof(path), "%s/%s", root ? root : ".", name);
	return path;
}

#endif
