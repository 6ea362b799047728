// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text_file.h"

static int system_error(const char *path, const char *what, struct error *err)
{
	int code = -errno;

	return error__set(err, code, "%s: %s, %s", path, what, strerror(-code));
}

static int too_large(const char *path, struct error *err)
{
	return error__set(err, -EFBIG,
			  "%s: larger than %d bytes, no catalogue is; is this the right file?",
			  path, TEXT_FILE_MAX);
}

/* Reads up to size bytes; the file may shrink or grow meanwhile. */
static ssize_t read_all(int fd, char *buffer, size_t size)
{
	size_t len = 0;
	ssize_t got;

	do {
		got = read(fd, buffer + len, size - len);
		if (got < 0 && errno != EINTR)
			return -1;
		if (got > 0)
			len += (size_t)got;
	} while (got && len < size);
	return (ssize_t)len;
}

int text_file__read(const char *path, char **text, size_t *len, struct error *err)
{
	char *buffer = NULL;
	struct stat st;
	ssize_t got;
	int fd, ret;

	/* A FIFO must not block, a terminal not become ours. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return system_error(path, "cannot be opened", err);
	if (fstat(fd, &st) < 0) {
		ret = system_error(path, "cannot be looked at", err);
		goto out;
	}
	if (!S_ISREG(st.st_mode)) {
		ret = error__set(err, -EINVAL, "%s: not a regular file, a catalogue is one", path);
		goto out;
	}
	ret = st.st_size > TEXT_FILE_MAX ? too_large(path, err) : 0;
	if (ret < 0)
		goto out;
	buffer = malloc(TEXT_FILE_MAX + 1);
	if (!buffer) {
		ret = error__set(err, -ENOMEM, "%s: out of memory", path);
		goto out;
	}
	got = read_all(fd, buffer, TEXT_FILE_MAX + 1);
	if (got < 0)
		ret = system_error(path, "cannot be read", err);
	else if (got > TEXT_FILE_MAX)
		ret = too_large(path, err);
	if (ret < 0)
		goto out;
	*text = buffer;
	*len = (size_t)got;
	buffer = NULL;
out:
	free(buffer);
	close(fd);
	return ret;
}

bool text_file__is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_catalogue_name(const char *name)
{
	size_t len = strlen(name);

	return name[0] != '.' && len > 5 && strcmp(name + len - 5, ".yaml") == 0;
}

static int add_path(char ***paths, size_t *n, size_t *room, const char *folder, const char *name)
{
	const char *slash = folder[0] && folder[strlen(folder) - 1] == '/' ? "" : "/";

	if (array__grow((void **)paths, room, *n, sizeof(**paths)) < 0)
		return -ENOMEM;
	if (asprintf(&(*paths)[*n], "%s%s%s", folder, slash, name) < 0)
		return -ENOMEM;
	++*n;
	return 0;
}

int text_file__list(const char *folder, char ***paths, size_t *n, struct error *err)
{
	const struct dirent *entry;
	size_t room = 0;
	int ret = 0;
	DIR *dir;

	*paths = NULL;
	*n = 0;
	dir = opendir(folder);
	if (!dir)
		return system_error(folder, "cannot be opened", err);
	while (ret == 0 && (errno = 0, entry = readdir(dir))) {
		if (is_catalogue_name(entry->d_name))
			ret = add_path(paths, n, &room, folder, entry->d_name);
	}
	if (ret < 0)
		error__set(err, ret, "%s: out of memory", folder);
	else if (errno)
		ret = system_error(folder, "cannot be read", err);
	else if (!*n)
		ret = error__set(err, -ENOENT,
				 "%s: no *.yaml file in this folder, give one with catalogue files",
				 folder);
	closedir(dir);
	if (ret < 0)
		text_file__free_list(*paths, *n);
	else if (*paths)
		qsort(*paths, *n, sizeof(**paths), compare_paths);
	return ret;
}

void text_file__free_list(char **paths, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(paths[i]);
	free(paths);
}
