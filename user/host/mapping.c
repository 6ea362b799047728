// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "host/mapping.h"

static const char deleted[] = " (deleted)";

bool mapping__is_file(const char *name)
{
	static const char *const others[] = { "//anon", "/dev/zero", "/SYSV", "/anon_hugepage",
					      "/[" };

	if (name[0] != '/')
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (strncmp(name, others[i], strlen(others[i])) == 0)
			return false;
	}
	return true;
}

bool mapping__strip_deleted(char *name)
{
	size_t n = strlen(name);

	if (n < sizeof(deleted) || strcmp(name + n - (sizeof(deleted) - 1), deleted) != 0)
		return false;
	name[n - (sizeof(deleted) - 1)] = '\0';
	return true;
}
