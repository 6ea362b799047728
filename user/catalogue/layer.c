// SPDX-License-Identifier: GPL-2.0-only
#include <fnmatch.h>

#include "catalogue/layer.h"

bool catalogue__matches_one(const char *const *patterns, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (fnmatch(patterns[i], name, 0) == 0)
			return true;
	}
	return false;
}
