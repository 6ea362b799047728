// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/owned_file.h"
#include "base/place.h"

/* Where a file goes. */
struct target {
	char *folder;
	const char *name; /* in the folder */
	char *part;	  /* what it is called until it is complete */
	int dir;
	struct place place; /* whose these are, but in an own folder */
};

/* Without memory: -ENOMEM. */
static int split(struct target *target, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t length = !slash || slash == path ? 1 : (size_t)(slash - path);

	target->name = slash ? slash + 1 : path;
	target->folder = strndup(slash ? path : ".", length);
	return target->folder ? 0 : -ENOMEM;
}

/* A folder that must be the own one. */
static int open_own(struct target *target, struct error *err)
{
	struct stat st;

	target->dir = open(target->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (target->dir < 0 && (errno == ENOTDIR || errno == ELOOP))
		return error__set(err, -EPERM, "%s: is a link, or no folder", target->folder);
	if (target->dir < 0 || fstat(target->dir, &st) < 0)
		return error__set(err, -errno, "%s: %s", target->folder, strerror(errno));
	if (st.st_uid != geteuid())
		return error__set(err, -EPERM, "%s: belongs to user %u", target->folder, st.st_uid);
	return 0;
}

static int open_folder(struct target *target, const char *path, unsigned int flags,
		       struct error *err)
{
	int ret;

	if (flags & OWNED_FILE_MAKE_FOLDER && mkdir(target->folder, 0700) < 0 && errno != EEXIST)
		return error__set(err, -errno, "%s: cannot be made: %s", target->folder,
				  strerror(errno));
	if (flags & OWNED_FILE_OWN_FOLDER) {
		ret = open_own(target, err);
	} else {
		ret = place__open(&target->place, path, err);
		target->name = target->place.name;
		target->dir = target->place.dir;
	}
	if (ret == 0 && asprintf(&target->part, ".%s.part", target->name) < 0) {
		target->part = NULL;
		ret = error__set(err, -ENOMEM, "no memory");
	}
	return ret;
}

static FILE *open_part(const struct target *target, struct error *err)
{
	FILE *out = NULL;
	int fd;

	unlinkat(target->dir, target->part, 0); /* of one that was killed */
	fd = openat(target->dir, target->part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	if (fd >= 0)
		out = fdopen(fd, "w");
	if (out)
		return out;
	error__set(err, -errno, "%s/%s: %s", target->folder, target->part, strerror(errno));
	if (fd >= 0)
		close(fd);
	return NULL;
}

/* Gives it its name. File systems that cannot keep what is there (NFS) are asked before. */
static int name_part(const struct target *target, unsigned int flags)
{
	bool is_new = flags & OWNED_FILE_NEW;

	if (is_new &&
	    !renameat2(target->dir, target->part, target->dir, target->name, RENAME_NOREPLACE))
		return 0;
	if (is_new && errno != EINVAL)
		return -errno;
	if (is_new && !faccessat(target->dir, target->name, F_OK, AT_SYMLINK_NOFOLLOW))
		return -EEXIST;
	return renameat(target->dir, target->part, target->dir, target->name) < 0 ? -errno : 0;
}

static int write_part(const struct target *target, unsigned int flags,
		      int (*write)(void *context, FILE *out, struct error *err), void *context,
		      struct error *err)
{
	FILE *out = open_part(target, err);
	int ret;

	if (!out)
		return err->code;
	ret = write(context, out, err);
	if (fclose(out) && ret == 0)
		ret = error__set(err, -errno, "%s/%s: %s", target->folder, target->part,
				 strerror(errno));
	if (ret == 0) {
		ret = name_part(target, flags);
		if (ret < 0)
			error__set(err, ret, "%s/%s: cannot be replaced: %s", target->folder,
				   target->name, strerror(-ret));
	}
	if (ret < 0)
		unlinkat(target->dir, target->part, 0);
	return ret;
}

int owned_file__write(const char *path, unsigned int flags,
		      int (*write)(void *context, FILE *out, struct error *err), void *context,
		      struct error *err)
{
	struct target target = { .dir = -1, .place.dir = -1 };
	int ret = split(&target, path);

	if (ret < 0)
		error__set(err, ret, "no memory");
	else if (!*target.name)
		ret = error__set(err, -EISDIR, "%s: is a folder, not a file in one", path);
	else
		ret = open_folder(&target, path, flags, err);
	if (ret == 0)
		ret = write_part(&target, flags, write, context, err);
	if (target.dir >= 0 && target.dir != target.place.dir)
		close(target.dir);
	place__close(&target.place);
	free(target.folder);
	free(target.part);
	return ret;
}
