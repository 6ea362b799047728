// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/array.h"
#include "base/lock_soon.h"
#include "kernel/pins.h"

#define STATE	  "state"
#define STATE_NEW "state_new"

/* The state's array has elements of this size; the first begins with how many bytes there are. */
#define STATE_ELEMENT 4096

static const char *const folders[PIN_KINDS] = {
	[PIN_MAP] = "maps",
	[PIN_PROGRAM] = "programs",
	[PIN_LINK] = "links",
};

/* A program that was looked up. */
struct looked_up {
	const struct bpf_program *prog;
	int fd;
};

struct pins {
	char dir[PATH_MAX - 512]; /* room for names in it */
	int lock;		  /* the folder */
	bool cleared;
	struct looked_up *programs;
	size_t n_programs, room;
};

static void path_of(const struct pins *pins, enum pin_kind kind, const char *name,
		    char path[PATH_MAX])
{
	int n = snprintf(path, PATH_MAX, "%s/%s/", pins->dir, folders[kind]);
	char *at = path + n;

	snprintf(at, (size_t)(PATH_MAX - n), "%s", name);
	/* Names with a dot are the kernel's own (bpf_lookup()). */
	while ((at = strchr(at, '.')))
		*at = '_';
}

static void state_path(const struct pins *pins, const char *name, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/%s", pins->dir, name);
}

static bool is_bpffs(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && (unsigned long)fs.f_type == BPF_FS_MAGIC;
}

static bool parent_is_bpffs(const char *dir)
{
	const char *slash = strrchr(dir, '/');
	char parent[PATH_MAX];

	snprintf(parent, sizeof(parent), "%.*s", slash > dir ? (int)(slash - dir) : 1, dir);
	return is_bpffs(parent);
}

/* The folder that is there now is the one that is locked: another process may have removed it. */
static bool is_still_there(int fd, const char *dir)
{
	struct stat held, named;

	return !fstat(fd, &held) && !stat(dir, &named) && held.st_ino == named.st_ino &&
	       held.st_dev == named.st_dev;
}

/* Makes the folder and locks it: the descriptor, or a negative errno. */
static int lock_folder(const char *dir)
{
	int fd, ret;

	for (;;) {
		if (mkdir(dir, 0700) < 0 && errno != EEXIST)
			return -errno;
		fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		ret = lock_soon(fd);
		if (ret < 0) {
			close(fd);
			return ret;
		}
		if (is_still_there(fd, dir))
			return fd;
		close(fd);
	}
}

int pins__open(struct pins **out, const char *dir, struct error *err)
{
	struct pins *pins;
	int fd;

	*out = NULL;
	if (strlen(dir) >= sizeof(pins->dir))
		return error__set(err, -ENAMETOOLONG, "%s: the path is too long", dir);
	if (!parent_is_bpffs(dir))
		return error__set(err, -ENOTSUP, "%s: it is in no BPF file system", dir);
	fd = lock_folder(dir);
	if (fd == -EWOULDBLOCK)
		return error__set(err, -EADDRINUSE,
				  "%s: another service has its probes there; end that one, or name "
				  "another folder",
				  dir);
	if (fd < 0)
		return error__set(err, fd, "%s: %s", dir, strerror(-fd));
	pins = calloc(1, sizeof(*pins));
	if (!pins) {
		close(fd);
		return error__set(err, -ENOMEM, "no memory");
	}
	snprintf(pins->dir, sizeof(pins->dir), "%s", dir);
	pins->lock = fd;
	*out = pins;
	return 0;
}

void pins__close(struct pins *pins)
{
	if (!pins)
		return;
	for (size_t i = 0; i < pins->n_programs; i++)
		if (pins->programs[i].fd >= 0)
			close(pins->programs[i].fd);
	free(pins->programs);
	close(pins->lock);
	free(pins);
}

bool pins__keep(const struct pins *pins)
{
	return pins && !pins->cleared;
}

int pins__put(struct pins *pins, enum pin_kind kind, const char *name, int fd)
{
	char path[PATH_MAX];

	if (!pins__keep(pins))
		return 0;
	snprintf(path, sizeof(path), "%s/%s", pins->dir, folders[kind]);
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return -errno;
	path_of(pins, kind, name, path);
	if (!bpf_obj_pin(fd, path) || errno == EINVAL)
		return 0;
	return -errno;
}

int pins__get(const struct pins *pins, enum pin_kind kind, const char *name)
{
	char path[PATH_MAX];
	int fd;

	path_of(pins, kind, name, path);
	fd = bpf_obj_get(path);
	return fd < 0 ? -errno : fd;
}

void pins__drop(struct pins *pins, enum pin_kind kind, const char *name)
{
	char path[PATH_MAX];

	if (!pins__keep(pins))
		return;
	path_of(pins, kind, name, path);
	unlink(path);
}

int pins__each(const struct pins *pins, enum pin_kind kind,
	       int (*take)(void *context, const char *name, int fd), void *context)
{
	const struct dirent *entry;
	char path[PATH_MAX];
	int ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%s", pins->dir, folders[kind]);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while (ret >= 0 && (entry = readdir(dir))) {
		int fd;

		if (entry->d_name[0] == '.')
			continue;
		fd = pins__get(pins, kind, entry->d_name);
		ret = fd < 0 ? fd : take(context, entry->d_name, fd);
	}
	closedir(dir);
	return ret < 0 ? ret : 0;
}

int pins__program_fd(struct pins *pins, const struct bpf_program *prog)
{
	int fd = bpf_program__fd(prog);

	if (fd >= 0 || !pins__keep(pins))
		return fd;
	for (size_t i = 0; i < pins->n_programs; i++)
		if (pins->programs[i].prog == prog)
			return pins->programs[i].fd;
	fd = pins__get(pins, PIN_PROGRAM, bpf_program__name(prog));
	if (array__grow((void **)&pins->programs, &pins->room, pins->n_programs,
			sizeof(*pins->programs)) < 0) {
		if (fd >= 0)
			close(fd);
		return -ENOMEM;
	}
	pins->programs[pins->n_programs++] = (struct looked_up){ prog, fd };
	return fd;
}

/* Maps an array of the state's size. MAP_FAILED with errno where that fails. */
static void *map_state(int fd, size_t elements, int prot)
{
	return mmap(NULL, elements * STATE_ELEMENT, prot, MAP_SHARED, fd, 0);
}

static int fill_state(int fd, size_t elements, const void *bytes, size_t n)
{
	__u64 *at = map_state(fd, elements, PROT_READ | PROT_WRITE);

	if (at == MAP_FAILED)
		return -errno;
	*at = n;
	memcpy(at + 1, bytes, n);
	munmap(at, elements * STATE_ELEMENT);
	return 0;
}

int pins__write_state(struct pins *pins, const void *bytes, size_t n)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	size_t elements = (n + sizeof(__u64)) / STATE_ELEMENT + 1;
	char fresh[PATH_MAX], path[PATH_MAX];
	int fd, ret;

	if (!pins__keep(pins))
		return 0;
	state_path(pins, STATE_NEW, fresh);
	state_path(pins, STATE, path);
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "tm_state", sizeof(__u32), STATE_ELEMENT,
			    (__u32)elements, &opts);
	if (fd < 0)
		return -errno;
	ret = fill_state(fd, elements, bytes, n);
	unlink(fresh); /* of one that was killed here */
	if (!ret && (bpf_obj_pin(fd, fresh) || rename(fresh, path) < 0))
		ret = -errno;
	close(fd);
	return ret;
}

int pins__read_state(const struct pins *pins, void **bytes, size_t *n)
{
	struct bpf_map_info info = { 0 };
	__u32 size = sizeof(info);
	char path[PATH_MAX];
	int fd, ret = -EBADMSG;
	const __u64 *at;

	state_path(pins, STATE, path);
	fd = bpf_obj_get(path);
	if (fd < 0)
		return -errno;
	if (bpf_obj_get_info_by_fd(fd, &info, &size) || info.type != BPF_MAP_TYPE_ARRAY ||
	    info.value_size != STATE_ELEMENT)
		goto out;
	at = map_state(fd, info.max_entries, PROT_READ);
	if (at == MAP_FAILED) {
		ret = -errno;
		goto out;
	}
	*n = *at;
	if (*n <= (size_t)info.max_entries * STATE_ELEMENT - sizeof(*at)) {
		*bytes = malloc(*n + 1);
		ret = *bytes ? 0 : -ENOMEM;
	}
	if (!ret)
		memcpy(*bytes, at + 1, *n);
	munmap((void *)at, (size_t)info.max_entries * STATE_ELEMENT);
out:
	close(fd);
	return ret;
}

void pins__invalidate(struct pins *pins)
{
	char path[PATH_MAX];

	if (!pins__keep(pins))
		return;
	state_path(pins, STATE, path);
	unlink(path);
}

static void empty_folder(const struct pins *pins, enum pin_kind kind)
{
	const struct dirent *entry;
	char path[PATH_MAX], folder[PATH_MAX];
	DIR *dir;

	snprintf(folder, sizeof(folder), "%s/%s", pins->dir, folders[kind]);
	dir = opendir(folder);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.') {
			path_of(pins, kind, entry->d_name, path);
			unlink(path);
		}
	if (dir)
		closedir(dir);
	rmdir(folder);
}

void pins__empty(struct pins *pins)
{
	char path[PATH_MAX];

	pins__invalidate(pins);
	for (enum pin_kind kind = PIN_KINDS; kind-- > 0;)
		empty_folder(pins, kind);
	state_path(pins, STATE_NEW, path);
	unlink(path);
}

void pins__clear(struct pins *pins)
{
	if (!pins__keep(pins))
		return;
	pins__empty(pins);
	rmdir(pins->dir);
	pins->cleared = true;
}
