// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/owned_file.h"

/* Where a file goes. */
struct place {
	char *folder;
	const char *name; /* in the folder */
	char *part;	  /* what it is called until it is complete */
	int dir;
};

/* Without memory folder or part are NULL. */
static void split(struct place *place, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t length = !slash || slash == path ? 1 : (size_t)(slash - path);

	place->name = slash ? slash + 1 : path;
	place->folder = strndup(slash ? path : ".", length);
	if (asprintf(&place->part, ".%s.part", place->name) < 0)
		place->part = NULL;
}

static int open_folder(struct place *place, unsigned int flags, struct error *err)
{
	bool is_own = flags & OWNED_FILE_OWN_FOLDER;
	struct stat st;

	if (flags & OWNED_FILE_MAKE_FOLDER && mkdir(place->folder, 0700) < 0 && errno != EEXIST)
		return error__set(err, -errno, "%s: cannot be made: %s", place->folder,
				  strerror(errno));
	place->dir =
		open(place->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (is_own ? O_NOFOLLOW : 0));
	if (place->dir < 0 && (errno == ENOTDIR || errno == ELOOP))
		return error__set(err, -EPERM, "%s: is a link, or no folder", place->folder);
	if (place->dir < 0 || fstat(place->dir, &st) < 0)
		return error__set(err, -errno, "%s: %s", place->folder, strerror(errno));
	if (is_own && st.st_uid != geteuid())
		return error__set(err, -EPERM, "%s: belongs to user %u", place->folder, st.st_uid);
	return 0;
}

static FILE *open_part(const struct place *place, struct error *err)
{
	FILE *out = NULL;
	int fd;

	unlinkat(place->dir, place->part, 0); /* of one that was killed */
	fd = openat(place->dir, place->part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	if (fd >= 0)
		out = fdopen(fd, "w");
	if (out)
		return out;
	error__set(err, -errno, "%s/%s: %s", place->folder, place->part, strerror(errno));
	if (fd >= 0)
		close(fd);
	return NULL;
}

/* Gives it its name. File systems that cannot keep what is there (NFS) are asked before. */
static int name_part(const struct place *place, unsigned int flags)
{
	bool is_new = flags & OWNED_FILE_NEW;

	if (is_new &&
	    !renameat2(place->dir, place->part, place->dir, place->name, RENAME_NOREPLACE))
		return 0;
	if (is_new && errno != EINVAL)
		return -errno;
	if (is_new && !faccessat(place->dir, place->name, F_OK, AT_SYMLINK_NOFOLLOW))
		return -EEXIST;
	return renameat(place->dir, place->part, place->dir, place->name) < 0 ? -errno : 0;
}

static int write_part(const struct place *place, unsigned int flags,
		      int (*write)(void *context, FILE *out, struct error *err), void *context,
		      struct error *err)
{
	FILE *out = open_part(place, err);
	int rc;

	if (!out)
		return err->code;
	rc = write(context, out, err);
	if (fclose(out) && rc == 0)
		rc = error__set(err, -errno, "%s/%s: %s", place->folder, place->part,
				strerror(errno));
	if (rc == 0) {
		rc = name_part(place, flags);
		if (rc < 0)
			error__set(err, rc, "%s/%s: cannot be replaced: %s", place->folder,
				   place->name, strerror(-rc));
	}
	if (rc < 0)
		unlinkat(place->dir, place->part, 0);
	return rc;
}

int owned_file__write(const char *path, unsigned int flags,
		      int (*write)(void *context, FILE *out, struct error *err), void *context,
		      struct error *err)
{
	struct place place = { .dir = -1 };
	int rc = -ENOMEM;

	split(&place, path);
	if (!place.folder || !place.part)
		error__set(err, rc, "no memory");
	else if (!*place.name)
		rc = error__set(err, -EISDIR, "%s: is a folder, not a file in one", path);
	else
		rc = open_folder(&place, flags, err);
	if (rc == 0)
		rc = write_part(&place, flags, write, context, err);
	if (place.dir >= 0)
		close(place.dir);
	free(place.folder);
	free(place.part);
	return rc;
}
