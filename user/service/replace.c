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

/* Opens a new file beside it, whose name is put into new. Its descriptor, or a negative errno. */
static int open_new(const char *path, mode_t mode, char new[PATH_MAX], struct error *err)
{
	int fd;

	/* Not a name that ends as the others in its folder: they are collected by their ends. */
	if (snprintf(new, PATH_MAX, "%s.new", path) >= PATH_MAX)
		return error__set(err, -ENAMETOOLONG, "%s: too long", path);
	unlink(new);
	fd = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	return fd < 0 ? failure(new, err) : fd;
}

int replace__try(const char *path, struct error *err)
{
	char new[PATH_MAX];
	int fd = open_new(path, 0600, new, err);

	if (fd < 0)
		return fd;
	close(fd);
	unlink(new);
	return 0;
}

int replace__file(const char *path, mode_t mode, void (*write)(void *context, FILE *out),
		  void *context, struct error *err)
{
	char new[PATH_MAX];
	int fd = open_new(path, mode, new, err), ret = 0;
	FILE *out;

	if (fd < 0)
		return fd;
	out = fdopen(fd, "w");
	if (!out) {
		ret = failure(new, err);
		close(fd);
		unlink(new);
		return ret;
	}
	/* Whatever the umask. */
	if (fchmod(fd, mode) < 0)
		ret = failure(new, err);
	write(context, out);
	if (ferror(out) && !ret)
		ret = failure(new, err);
	if (fclose(out) && !ret)
		ret = failure(new, err);
	if (!ret && rename(new, path) < 0)
		ret = failure(path, err);
	if (ret < 0)
		unlink(new);
	return ret;
}
