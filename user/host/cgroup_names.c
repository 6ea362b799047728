// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/path.h"
#include "base/search.h"
#include "host/cgroup.h"
#include "host/cgroup_names.h"
#include "host/files.h"

#define KEEP	   (600 * NS_PER_S) /* to remember what is gone */
#define WALK	   NS_PER_S	    /* between walks for ids that are not known */
#define DEPTH_MAX  100
#define SETTLE_MIN 1024	 /* so many are there between two times that the gone are forgotten */
#define GONE_MAX   16384 /* of them are kept: those that were seen or asked for last */

struct entry {
	__u64 id;
	char *path;
	__u64 seen; /* last, by now() */
	bool gone;  /* it was told that it is */
};

struct cgroup_names {
	char *mount;
	int fd;		     /* of the mount */
	struct entry *items; /* sorted by id */
	size_t n;
	size_t room;
	__u64 walked;	  /* last time, by now(); 0: never */
	size_t settle_at; /* so many, and the long gone are forgotten */
	size_t found;	  /* which one was found last */
	__u64 renames;
};

/* ns of the monotonic clock, as of its last tick, from far enough above 0. */
static __u64 now(void)
{
	return KEEP + clock__ns(CLOCK_MONOTONIC_COARSE);
}

/* At the end, out of order. */
static int append(struct cgroup_names *names, __u64 id, const char *path)
{
	struct entry *entry;

	if (array__grow((void **)&names->items, &names->room, names->n, sizeof(*names->items)) < 0)
		return -ENOMEM;
	entry = &names->items[names->n];
	entry->id = id;
	entry->seen = now();
	entry->gone = false;
	entry->path = strdup(*path ? path : "/");
	if (!entry->path)
		return -ENOMEM;
	names->n++;
	return 0;
}

/* By id, what was seen last first. */
static int compare_entries(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return a->seen > b->seen ? -1 : a->seen < b->seen;
}

static int compare_times(const void *left, const void *right)
{
	const __u64 *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

/* Who is gone and was not seen since is forgotten: after the time to keep, or as there are many. */
static __u64 oldest_kept(const struct cgroup_names *names)
{
	__u64 oldest = now() - KEEP, *seen = NULL;
	size_t n = 0;

	if (names->n > GONE_MAX)
		seen = calloc(names->n, sizeof(*seen));
	for (size_t i = 0; seen && i < names->n; i++)
		if (names->items[i].gone)
			seen[n++] = names->items[i].seen;
	if (n > GONE_MAX) {
		qsort(seen, n, sizeof(*seen), compare_times);
		if (seen[n - GONE_MAX] > oldest)
			oldest = seen[n - GONE_MAX];
	}
	free(seen);
	return oldest;
}

/*
 * Sorts, leaves the newest of each, and forgets the long gone: of a walk those that it has not
 * seen, else those that were told to be.
 */
static void settle(struct cgroup_names *names, bool walked)
{
	__u64 long_ago = now() - KEEP, oldest = oldest_kept(names);
	const char *last_path = NULL; /* of the last one that was kept */
	size_t kept = 0;

	if (names->n == 0)
		return;
	qsort(names->items, names->n, sizeof(*names->items), compare_entries);
	for (size_t i = 0; i < names->n; i++) {
		struct entry *entry = &names->items[i];
		bool is_older = kept && names->items[kept - 1].id == entry->id;

		names->renames += is_older && strcmp(last_path, entry->path) != 0;
		if ((entry->gone && entry->seen < oldest) || (walked && entry->seen < long_ago) ||
		    is_older) {
			free(entry->path);
			entry->path = NULL;
		} else {
			last_path = entry->path;
			names->items[kept++] = *entry;
		}
	}
	names->n = kept;
	names->settle_at = 2 * kept + SETTLE_MIN;
}

/* The first entry whose id is not below. */
static size_t position(const struct cgroup_names *names, __u64 id)
{
	return SEARCH_FIRST(names->n, i, names->items[i].id < id);
}

/* Jobs are often gone through in order: then it is the same one, or the next. */
static bool find_name(struct cgroup_names *names, __u64 id)
{
	for (int i = 0; i < 2; i++, names->found++)
		if (names->found < names->n && names->items[names->found].id == id)
			return true;
	names->found = position(names, id);
	return names->found < names->n && names->items[names->found].id == id;
}

static const char *known(struct cgroup_names *names, __u64 id)
{
	struct entry *entry;

	if (!find_name(names, id))
		return NULL;
	entry = &names->items[names->found];
	entry->seen = now();
	return entry->path;
}

/* dir has room for PATH_MAX, and is as before at the return. A cgroup that vanishes is no error. */
static int walk(struct cgroup_names *names, char *dir, int depth)
{
	size_t length = strlen(dir);
	struct dirent *entry;
	int ret = 0;
	__u64 id;
	DIR *d;

	if (cgroup__id_of(dir, &id) < 0)
		return 0;
	ret = append(names, id, dir + strlen(names->mount));
	d = ret || depth == DEPTH_MAX ? NULL : opendir(dir);
	if (!d)
		return ret;
	while (!ret && (entry = readdir(d))) {
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.' &&
		    files__path(dir + length, PATH_MAX - length, "/%s", entry->d_name) == 0)
			ret = walk(names, dir, depth + 1);
	}
	dir[length] = '\0';
	closedir(d);
	return ret;
}

int cgroup_names__refresh(struct cgroup_names *names)
{
	char dir[PATH_MAX];
	int ret;

	names->walked = now();
	ret = files__path(dir, sizeof(dir), "%s", names->mount);
	if (!ret)
		ret = walk(names, dir, 0);
	settle(names, true);
	return ret;
}

/* The kernel finds a cgroup by its id alone, with CAP_DAC_READ_SEARCH. */
static int path_by_handle(const struct cgroup_names *names, __u64 id, char *path, size_t room)
{
	char link[PATH_OF_FD];
	ssize_t n;
	int fd;

	fd = cgroup__open_by_id(names->fd, id);
	if (fd < 0)
		return fd;
	path__of_fd(link, fd);
	n = readlink(link, path, room - 1);
	close(fd);
	if (n < 0)
		return -errno;
	path[n] = '\0';
	return 0;
}

/* Adds one that is not there in its place. */
static int insert(struct cgroup_names *names, __u64 id, const char *path)
{
	struct entry entry;
	size_t at;

	if (names->n > names->settle_at)
		settle(names, false);
	at = position(names, id);
	if (append(names, id, path) < 0)
		return -ENOMEM;
	entry = names->items[names->n - 1];
	memmove(&names->items[at + 1], &names->items[at],
		(names->n - 1 - at) * sizeof(*names->items));
	names->items[at] = entry;
	return 0;
}

int cgroup_names__add(struct cgroup_names *names, __u64 id, __u64 parent, const char *name)
{
	const char *above = cgroup_names__path(names, parent);
	char path[PATH_MAX], *copy;
	size_t at;

	if (!above)
		return -ENOENT;
	if (files__path(path, sizeof(path), "%s/%s", strcmp(above, "/") ? above : "", name) < 0)
		return -ENOENT;
	at = position(names, id);
	if (at == names->n || names->items[at].id != id)
		return insert(names, id, path);
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	names->renames += strcmp(names->items[at].path, path) != 0;
	free(names->items[at].path);
	names->items[at].path = copy;
	return 0;
}

void cgroup_names__note_end(struct cgroup_names *names, __u64 id)
{
	size_t at = position(names, id);

	if (at < names->n && names->items[at].id == id) {
		names->items[at].gone = true;
		names->items[at].seen = now();
	}
}

bool cgroup_names__is_gone(const struct cgroup_names *names, __u64 id)
{
	int fd = cgroup__open_by_id(names->fd, id);

	if (fd >= 0)
		close(fd);
	return fd == -ESTALE;
}

void cgroup_names__forget(struct cgroup_names *names, __u64 id)
{
	size_t at = position(names, id);

	if (at < names->n && names->items[at].id == id && names->items[at].gone)
		names->items[at].seen = 0;
}

int cgroup_names__find(struct cgroup_names *names, const char *path, size_t bytes, __u64 *id)
{
	bool was_there = false;
	char dir[PATH_MAX];

	for (size_t i = 0; i < names->n; i++) {
		const char *known = names->items[i].path;

		if (strncmp(known, path, bytes) != 0 || known[bytes])
			continue;
		*id = names->items[i].id;
		was_there = true;
		if (!names->items[i].gone)
			return 0;
	}
	if (was_there)
		return 0;
	if (files__path(dir, sizeof(dir), "%s%.*s", names->mount, (int)bytes, path) < 0)
		return -ENOENT;
	return cgroup__id_of(dir, id) < 0 ? -ENOENT : 0;
}

const char *cgroup_names__path(struct cgroup_names *names, __u64 id)
{
	const char *path = known(names, id);
	size_t n = strlen(names->mount);
	char found[PATH_MAX];
	int err;

	if (path)
		return path;
	err = path_by_handle(names, id, found, sizeof(found));
	if (!err && strncmp(found, names->mount, n) == 0)
		insert(names, id, found + n);
	else if (err != -ESTALE && (!names->walked || now() - names->walked >= WALK))
		cgroup_names__refresh(names);
	return known(names, id);
}

void cgroup_names__each(const struct cgroup_names *names,
			void (*take)(void *context, __u64 id, const char *path), void *context)
{
	for (size_t i = 0; i < names->n; i++)
		take(context, names->items[i].id, names->items[i].path);
}

__u64 cgroup_names__renames(const struct cgroup_names *names)
{
	return names->renames;
}

size_t cgroup_names__n(const struct cgroup_names *names)
{
	return names->n;
}

int cgroup_names__open(struct cgroup_names **out, const char *mount, struct error *err)
{
	struct cgroup_names *names;

	names = calloc(1, sizeof(*names));
	if (!names)
		return error__set(err, -ENOMEM, "%s: out of memory", mount);
	names->fd = open(mount, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
	names->mount = names->fd < 0 ? NULL : realpath(mount, NULL);
	if (!names->mount) {
		int ret = error__set(err, -errno, "%s: %s", mount, strerror(errno));

		cgroup_names__close(names);
		return ret;
	}
	*out = names;
	return 0;
}

void cgroup_names__close(struct cgroup_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->n; i++)
		free(names->items[i].path);
	free(names->items);
	free(names->mount);
	if (names->fd >= 0)
		close(names->fd);
	free(names);
}
