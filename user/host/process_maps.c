// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "host/files.h"
#include "host/mapping.h"
#include "host/process.h"

#define MAPS_MAX (256UL << 20)

struct process_maps {
	char *text; /* the paths point into it */
	struct process_mapping *items;
	size_t n;
	size_t room;
	bool all; /* not of each file the first one */
};

/* The same inode number can be two files in two btrfs subvolumes: the path counts as well. */
static bool has(const struct process_maps *maps, const struct process_mapping *mapping)
{
	for (size_t i = 0; i < maps->n; i++) {
		const struct process_mapping *other = &maps->items[i];

		if (other->ino == mapping->ino && other->major == mapping->major &&
		    other->minor == mapping->minor && strcmp(other->path, mapping->path) == 0)
			return true;
	}
	return false;
}

/* START-END PERMISSIONS OFFSET MAJOR:MINOR INODE PATH; other lines are passed over. */
static int take_line(struct process_maps *maps, char *line)
{
	struct process_mapping mapping = { 0 };
	const char *space = strchr(line, ' ');
	char permissions[5];
	int at = 0;

	/* Most are of data: sscanf takes a while. */
	if (!space || strnlen(space, 4) < 4 || space[3] != 'x' ||
	    sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &mapping.start, &mapping.end,
		   permissions, &mapping.offset, &mapping.major, &mapping.minor, &mapping.ino,
		   &at) != 7 ||
	    at == 0 || !strchr(permissions, 'x') || !mapping__is_file(line + at))
		return 0;
	files__unescape(line + at, "\n");
	mapping.deleted = mapping__strip_deleted(line + at);
	mapping.path = line + at;
	if (!maps->all && has(maps, &mapping))
		return 0;
	if (array__grow((void **)&maps->items, &maps->room, maps->n, sizeof(*maps->items)) < 0)
		return -ENOMEM;
	maps->items[maps->n++] = mapping;
	return 0;
}

/* Where the first thread has ended before the others, only theirs still show the mappings. */
static int read_of_threads(pid_t pid, char **text)
{
	struct dirent *entry;
	char path[300];
	int err = -ESRCH;
	size_t n = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	if (!d)
		return -ESRCH;
	while (n == 0 && (entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%s/maps", pid, entry->d_name);
		if (err == 0)
			free(*text);
		err = files__read(path, MAPS_MAX, text, &n);
	}
	closedir(d);
	return err == -ENOENT ? -ESRCH : err;
}

static int read_text(pid_t pid, char **text)
{
	char path[64];
	size_t n;
	int err;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	err = files__read(path, MAPS_MAX, text, &n);
	if (err)
		return err == -ENOENT ? -ESRCH : err;
	if (n > 0 || process__state(pid) != PROCESS_LIVE)
		return 0;
	free(*text);
	return read_of_threads(pid, text);
}

static int read_maps(struct process_maps **out, pid_t pid, bool all, struct error *err)
{
	struct process_maps *maps;
	char *rest = NULL;
	int ret;

	maps = calloc(1, sizeof(*maps));
	if (!maps)
		return error__set(err, -ENOMEM, "process %d: out of memory", pid);
	maps->all = all;
	ret = pid > 0 ? read_text(pid, &maps->text) : -ESRCH;
	if (ret) {
		maps->text = NULL;
	} else {
		for (char *line = strtok_r(maps->text, "\n", &rest); line && !ret;
		     line = strtok_r(NULL, "\n", &rest))
			ret = take_line(maps, line);
	}
	if (!ret) {
		*out = maps;
		return 0;
	}
	process_maps__free(maps);
	if (ret == -ESRCH)
		return error__set(err, ret, "process %d: gone", pid);
	if (ret == -EACCES || ret == -EPERM)
		return error__set(err, ret,
				  "process %d: not allowed to read its mappings; run as root, or "
				  "with CAP_SYS_PTRACE",
				  pid);
	return error__set(err, ret, "process %d: its mappings cannot be read: %s", pid,
			  strerror(-ret));
}

int process_maps__read(struct process_maps **out, pid_t pid, struct error *err)
{
	return read_maps(out, pid, false, err);
}

int process_maps__read_all(struct process_maps **out, pid_t pid, struct error *err)
{
	return read_maps(out, pid, true, err);
}

void process_maps__free(struct process_maps *maps)
{
	if (!maps)
		return;
	free(maps->items);
	free(maps->text);
	free(maps);
}

size_t process_maps__n(const struct process_maps *maps)
{
	return maps->n;
}

const struct process_mapping *process_maps__at(const struct process_maps *maps, size_t i)
{
	return &maps->items[i];
}
