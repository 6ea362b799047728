// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/replace.h"

static int failure(const char *path, struct error *err)
{
	return error__set(err, -errno, "%s: cannot be written: %s", path, strerror(errno));
}

int replace__file(const char *path, mode_t mode, void (*write)(void *context, FILE *out),
		  void *context, struct error *err)
{
	char new[PATH_MAX];
	FILE *out = NULL;
	int fd, rc = 0;

	/* Not a name that ends as the others in its folder: they are collected by their ends. */
	if (snprintf(new, sizeof(new), "%s.new", path) >= (int)sizeof(new))
		return error__set(err, -ENAMETOOLONG, "%s: too long", path);
	unlink(new);
	fd = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd >= 0)
		out = fdopen(fd, "w");
	if (!out) {
		rc = failure(new, err);
		if (fd >= 0)
			close(fd);
		return rc;
	}
	/* Whatever the umask. */
	if (fchmod(fd, mode) < 0)
		rc = failure(new, err);
	write(context, out);
	if (ferror(out) && !rc)
		rc = failure(new, err);
	if (fclose(out) && !rc)
		rc = failure(new, err);
	if (!rc && rename(new, path) < 0)
		rc = failure(path, err);
	if (rc < 0)
		unlink(new);
	return rc;
}
