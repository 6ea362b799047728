// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <linux/magic.h>

#include "base/array.h"
#include "host/cgroup.h"
#include "host/files.h"
#include "host/mountinfo.h"

#define CGROUP_LIST_MAX 65536
#define KERNFS_HANDLE	0xfe /* the type of handle that is nothing but the id */

/* struct file_handle with room for an id: on kernfs the handle is the id. */
struct handle {
	__u32 bytes; /* of id */
	__s32 type;
	__u64 id;
};

/* What to do with each mounted hierarchy, version 2 first; not 0: stop with that. */
typedef int (*visit_fn)(void *ctx, const struct mountinfo *mount, int version);

static int visit_version(char *text, int version, visit_fn visit, void *ctx)
{
	char *rest = NULL;
	int ret = 0;

	for (char *line = strtok_r(text, "\n", &rest); line && !ret;
	     line = strtok_r(NULL, "\n", &rest)) {
		struct mountinfo mount;

		if (mountinfo__parse(line, &mount) &&
		    strcmp(mount.type, version == 2 ? "cgroup2" : "cgroup") == 0)
			ret = visit(ctx, &mount, version);
	}
	return ret;
}

static int visit_mounts(visit_fn visit, void *ctx)
{
	char *text;
	int ret = 0;

	for (int version = 2; !ret && version >= 1; version--) {
		ret = files__read("/proc/self/mountinfo", MOUNTINFO_MAX, &text, NULL);
		if (ret)
			return ret;
		ret = visit_version(text, version, visit, ctx);
		free(text);
	}
	return ret;
}

int cgroup__id_of(const char *dir, __u64 *id)
{
	struct handle handle = { .bytes = sizeof(handle.id) };
	struct stat st;
	int mount_id;

	if (syscall(SYS_name_to_handle_at, AT_FDCWD, dir, &handle, &mount_id, 0) == 0 &&
	    handle.bytes == sizeof(handle.id) && handle.type == KERNFS_HANDLE) {
		*id = handle.id;
		return 0;
	}
	/* The same number on 64-bit machines. */
	if (stat(dir, &st) < 0)
		return -errno;
	*id = st.st_ino;
	return 0;
}

int cgroup__open_by_id(int mount, __u64 id)
{
	struct handle handle = { .bytes = sizeof(id), .type = KERNFS_HANDLE, .id = id };
	long fd =
		syscall(SYS_open_by_handle_at, mount, &handle, O_RDONLY | O_CLOEXEC | O_DIRECTORY);

	return fd < 0 ? -errno : (int)fd;
}

/* Does this mount hold the path, more closely than the one found before? */
static int take_mount(void *ctx, const struct mountinfo *mount, int version)
{
	struct cgroup *cgroup = ctx;
	size_t n = strlen(mount->point);

	if (strncmp(mount->point, cgroup->path, n) != 0 ||
	    (cgroup->path[n] != '/' && cgroup->path[n] != '\0') || n < strlen(cgroup->mount) ||
	    n >= sizeof(cgroup->mount))
		return 0;
	memcpy(cgroup->mount, mount->point, n + 1);
	cgroup->version = version;
	/* For now all of the options; the controllers are those of them that are ones. */
	snprintf(cgroup->controllers, sizeof(cgroup->controllers), "%s", mount->options);
	return 0;
}

/* NUMBER:CONTROLLERS:PATH; true when the hierarchy is the one whose mount has these options. */
static bool is_hierarchy(char *line, const char *options, int *number, char **controllers)
{
	char *rest = line, *item;

	*number = (int)strtol(strsep(&rest, ":"), NULL, 10);
	*controllers = strsep(&rest, ":");
	if (!*controllers || !**controllers)
		return false;
	item = *controllers;
	for (;;) {
		size_t n = strcspn(item, ",");

		if (!mountinfo__has_option(options, item, n))
			return false;
		if (!item[n])
			return true;
		item += n + 1;
	}
}

/* Fills in number and controllers of a version 1 hierarchy. */
static int find_hierarchy(struct cgroup *cgroup)
{
	char *text, *rest = NULL, *controllers;
	char options[sizeof(cgroup->controllers)];
	int ret;

	memcpy(options, cgroup->controllers, sizeof(options));
	cgroup->controllers[0] = '\0';
	if (cgroup->version == 2)
		return 0;
	ret = files__read("/proc/self/cgroup", CGROUP_LIST_MAX, &text, NULL);
	if (ret)
		return ret;
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (!is_hierarchy(line, options, &cgroup->hierarchy, &controllers))
			continue;
		snprintf(cgroup->controllers, sizeof(cgroup->controllers), "%s", controllers);
		break;
	}
	if (!cgroup->controllers[0])
		cgroup->hierarchy = 0;
	free(text);
	return 0;
}

/* A directory on a cgroup file system? 0, -ENOENT, -ENOTDIR, ... */
static int check_directory(const char *path)
{
	struct statfs fs;
	struct stat st;

	if (stat(path, &st) < 0 || statfs(path, &fs) < 0)
		return -errno;
	if (!S_ISDIR(st.st_mode) ||
	    (fs.f_type != CGROUP2_SUPER_MAGIC && fs.f_type != CGROUP_SUPER_MAGIC))
		return -ENOTDIR;
	return 0;
}

struct search {
	struct cgroup *cgroup;
	const char *name;
	char mount[PATH_MAX]; /* for messages: the first, and how many there are */
	int n_mounts;
};

static int try_mount(void *ctx, const struct mountinfo *mount, int version)
{
	struct search *search = ctx;
	char path[PATH_MAX];

	(void)version;
	if (search->n_mounts++ == 0)
		snprintf(search->mount, sizeof(search->mount), "%s", mount->point);
	if (files__path(path, sizeof(path), "%s/%s", mount->point, search->name) < 0 ||
	    check_directory(path) < 0 || !realpath(path, search->cgroup->path))
		return 0;
	return 1;
}

/* Puts the directory's path in; the errors of cgroup__find(). */
static int find_directory(struct cgroup *cgroup, const char *path, struct error *err)
{
	struct search search = { .cgroup = cgroup, .name = path };
	int code = path[0] == '/' || path[0] == '.' ? check_directory(path) : -ENOENT, found;

	if (!code && realpath(path, cgroup->path))
		return 0;
	found = visit_mounts(try_mount, &search);
	if (found == 1)
		return 0;
	if (found < 0)
		return error__set(err, found, "/proc/self/mountinfo: %s", strerror(-found));
	if (search.n_mounts == 0)
		return error__set(err, -ENOENT,
				  "cgroup %s: no cgroup file system is mounted; mount -t cgroup2 "
				  "none /sys/fs/cgroup",
				  path);
	if (code == -ENOTDIR)
		return error__set(err, code,
				  "cgroup %s: not a cgroup's directory; those are below %s", path,
				  search.mount);
	if (code == -EACCES)
		return error__set(err, code, "cgroup %s: permission denied; run as root", path);
	return error__set(err, -ENOENT,
			  "cgroup %s: not found, nor below %s%s; /proc/PID/cgroup shows those of a "
			  "process",
			  path, search.mount, search.n_mounts > 1 ? " and the other mounts" : "");
}

int cgroup__find(struct cgroup **out, const char *path, struct error *err)
{
	struct cgroup *cgroup;
	int ret;

	cgroup = calloc(1, sizeof(*cgroup));
	if (!cgroup)
		return error__set(err, -ENOMEM, "cgroup %s: out of memory", path);
	ret = find_directory(cgroup, path, err);
	if (ret)
		goto cleanup;
	ret = visit_mounts(take_mount, cgroup);
	if (!ret && !cgroup->version)
		ret = -ENOENT; /* unmounted just now */
	if (!ret)
		ret = find_hierarchy(cgroup);
	if (!ret)
		ret = cgroup__id_of(cgroup->path, &cgroup->id);
	if (ret) {
		error__set(err, ret, "cgroup %s: %s", path, strerror(-ret));
		goto cleanup;
	}
	cgroup->name = cgroup->path + strlen(cgroup->mount);
	if (!*cgroup->name)
		cgroup->name = "/";
	*out = cgroup;
cleanup:
	if (ret)
		free(cgroup);
	return ret;
}

struct roots {
	struct cgroup **items;
	size_t n, room;
};

/* Another mount of a hierarchy says nothing new; one that cannot be looked at is left out. */
static bool is_new(const struct roots *roots, const struct cgroup *root)
{
	for (size_t i = 0; i < roots->n; i++)
		if (roots->items[i]->hierarchy == root->hierarchy)
			return false;
	return root->version == 2 || root->hierarchy > 0;
}

static int add_root(void *ctx, const struct mountinfo *mount, int version)
{
	struct roots *roots = ctx;
	struct cgroup *root = NULL;
	struct error err;

	(void)version;
	if (cgroup__find(&root, mount->point, &err) || !root)
		return 0;
	if (!is_new(roots, root)) {
		free(root);
		return 0;
	}
	if (array__grow((void **)&roots->items, &roots->room, roots->n, sizeof(*roots->items)) <
	    0) {
		free(root);
		return -ENOMEM;
	}
	roots->items[roots->n++] = root;
	return 0;
}

int cgroup__roots(struct cgroup ***items, size_t *n)
{
	struct roots roots = { 0 };
	int ret = visit_mounts(add_root, &roots);

	if (ret) {
		cgroup__free_roots(roots.items, roots.n);
		return ret;
	}
	*items = roots.items;
	*n = roots.n;
	return 0;
}

void cgroup__free_roots(struct cgroup **items, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(items[i]);
	free(items);
}

const char *cgroup__hierarchy(const struct cgroup *cgroup)
{
	return cgroup->version == 2 ? CGROUP_V2 : cgroup->controllers;
}

bool cgroup__is_of(const struct cgroup *cgroup, const char *name)
{
	const char *own = cgroup__hierarchy(cgroup);

	return !strcmp(own, name) || mountinfo__has_option(own, name, strlen(name));
}

bool cgroup__has_io(const struct cgroup *cgroup)
{
	char path[PATH_MAX + 32], *text, *word, *rest = NULL;
	bool found = false;

	if (cgroup->version == 1)
		return mountinfo__has_option(cgroup->controllers, "blkio", strlen("blkio"));
	snprintf(path, sizeof(path), "%s/cgroup.controllers", cgroup->path);
	if (files__read(path, CGROUP_LIST_MAX, &text, NULL))
		return false;
	for (word = strtok_r(text, " \n", &rest); word && !found;
	     word = strtok_r(NULL, " \n", &rest))
		found = !strcmp(word, "io");
	free(text);
	return found;
}
