// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/place.h"

#define LINKS_MAX 40 /* as many as the kernel follows */

/* A walk along a path, of which the folders before rest are behind us. */
struct walk {
	const char *path; /* as it was named */
	char rest[2 * PATH_MAX];
	int links;
	struct error *err;
};

static int fail(const struct walk *walk, int code)
{
	return error__set(walk->err, code, "%s: %s", walk->path, strerror(-code));
}

/* Takes the first name off what is left; its length. */
static size_t next_name(struct walk *walk, char name[NAME_MAX + 1])
{
	const char *from = walk->rest + strspn(walk->rest, "/");
	size_t length = strcspn(from, "/");

	snprintf(name, NAME_MAX + 1, "%.*s", (int)length, from);
	memmove(walk->rest, from + length, strlen(from + length) + 1);
	return length;
}

/* Goes into a folder; where it stays is closed. */
static int go(struct walk *walk, struct place *place, const char *name, int flags)
{
	int dir = openat(place->dir, name, O_PATH | O_DIRECTORY | O_CLOEXEC | flags);

	if (dir < 0)
		return fail(walk, -errno);
	if (place->dir >= 0)
		close(place->dir);
	place->dir = dir;
	return 0;
}

/* Puts in place of a link what it leads to. */
static int follow(struct walk *walk, struct place *place, const char *name, const struct stat *link)
{
	char target[PATH_MAX], rest[sizeof(walk->rest)];
	ssize_t n;

	if (link->st_uid != 0)
		return error__set(walk->err, -EPERM,
				  "%s: leads through a symbolic link of user %u (%s), which root "
				  "does not follow; name the place that it leads to",
				  walk->path, link->st_uid, name);
	n = readlinkat(place->dir, name, target, sizeof(target) - 1);
	if (n < 0)
		return fail(walk, -errno);
	target[n] = '\0';
	if (++walk->links > LINKS_MAX)
		return fail(walk, -ELOOP);
	snprintf(rest, sizeof(rest), "%s", walk->rest);
	if (snprintf(walk->rest, sizeof(walk->rest), "%s%s", target, rest) >=
	    (int)sizeof(walk->rest))
		return fail(walk, -ENAMETOOLONG);
	return *target == '/' ? go(walk, place, "/", 0) : 0;
}

/* Links of the kernel's own lead to files, not to paths. */
static bool is_of_proc(int dir)
{
	struct statfs fs;

	return fstatfs(dir, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/* One name further. 1: it was the last one. */
static int step(struct walk *walk, struct place *place)
{
	char name[NAME_MAX + 1];
	size_t length = next_name(walk, name);
	bool last = !*walk->rest;
	struct stat st;

	if (length > NAME_MAX)
		return fail(walk, -ENAMETOOLONG);
	if (!*name || (last && (!strcmp(name, ".") || !strcmp(name, ".."))))
		return error__set(walk->err, -EISDIR, "%s: is a folder, not a file in one",
				  walk->path);
	if (fstatat(place->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (!last || errno != ENOENT)
			return fail(walk, -errno);
		st.st_mode = S_IFREG;
	}
	if (S_ISLNK(st.st_mode) && !is_of_proc(place->dir))
		return follow(walk, place, name, &st);
	if (!last)
		return go(walk, place, name, S_ISLNK(st.st_mode) ? 0 : O_NOFOLLOW);
	place->is_special = S_ISLNK(st.st_mode);
	place->name = strdup(name);
	return place->name ? 1 : fail(walk, -ENOMEM);
}

static int walk_as_root(struct place *place, const char *path, struct error *err)
{
	struct walk walk = { .path = path, .err = err };
	int ret;

	if (snprintf(walk.rest, sizeof(walk.rest), "%s", path) >= PATH_MAX)
		return fail(&walk, -ENAMETOOLONG);
	place->dir = AT_FDCWD;
	ret = go(&walk, place, *path == '/' ? "/" : ".", 0);
	while (ret == 0)
		ret = step(&walk, place);
	return ret < 0 ? ret : 0;
}

/* The kernel does all, with the rights of the user. */
static int split(struct place *place, const char *path, struct error *err)
{
	const char *slash = strrchr(path, '/');
	size_t length = !slash || slash == path ? 1 : (size_t)(slash - path);
	char *folder = strndup(slash ? path : ".", length);

	place->name = strdup(slash ? slash + 1 : path);
	place->is_special = true;
	if (!folder || !place->name) {
		free(folder);
		return error__set(err, -ENOMEM, "no memory");
	}
	if (*place->name)
		place->dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (!*place->name)
		error__set(err, -EISDIR, "%s: is a folder, not a file in one", path);
	else if (place->dir < 0)
		error__set(err, -errno, "%s: %s", path, strerror(errno));
	free(folder);
	return place->dir < 0 ? err->code : 0;
}

int place__open(struct place *place, const char *path, struct error *err)
{
	*place = (struct place){ .dir = -1 };
	return geteuid() == 0 ? walk_as_root(place, path, err) : split(place, path, err);
}

void place__close(struct place *place)
{
	if (place->dir >= 0)
		close(place->dir);
	free(place->name);
	*place = (struct place){ .dir = -1 };
}

int place__no_follow(const struct place *place)
{
	return place->is_special ? 0 : O_NOFOLLOW;
}
