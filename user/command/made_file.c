// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <sys/stat.h>

#include "base/identity.h"
#include "base/owned_file.h"
#include "command/made_file.h"

/* What is at a path is replaced as a whole: that must be a file, and one that may go. */
static int check(const char *path, bool force, const struct report_parts *parts, struct error *err)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return 0;
	if (!S_ISREG(st.st_mode))
		return error__set(err, -EEXIST, "%s: is no plain file; name another one", path);
	if (report_parts__are_at(parts, path))
		return error__set(err, -EEXIST, "%s: is the recording itself; name another file",
				  path);
	if (!force)
		return error__set(err, -EEXIST, "%s: is there already; --force replaces it", path);
	return 0;
}

int made_file__write(const char *path, bool force, const struct report_parts *parts,
		     int (*write)(void *context, FILE *out, struct error *err), void *context,
		     struct error *err)
{
	int ret = check(path, force, parts, err);

	if (ret >= 0)
		ret = identity__become_caller(err);
	return ret < 0 ? ret
		       : owned_file__write(path, force ? 0 : OWNED_FILE_NEW, write, context, err);
}
