// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "inputs/folder_files.h"

int path_list__add(struct path_list *list, const char *path)
{
	char *copy;

	if (array__grow((void **)&list->at, &list->room, list->n, sizeof(*list->at)) < 0)
		return -ENOMEM;
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	list->at[list->n++] = copy;
	return 0;
}

void path_list__free(struct path_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->at[i]);
	free((void *)list->at);
	*list = (struct path_list){ 0 };
}

bool folder_files__is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int compare_names(const void *left, const void *right)
{
	const char *const *a = left, *const *b = right;

	return strcmp(*a, *b);
}

/* A device or a pipe may do anything when it is opened. */
static int add_file(struct path_list *list, DIR *dir, const char *folder, const char *name)
{
	struct stat st;
	char *path;
	int ret;

	if (name[0] == '.' || fstatat(dirfd(dir), name, &st, 0) < 0 || !S_ISREG(st.st_mode))
		return 0;
	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return -ENOMEM;
	ret = path_list__add(list, path);
	free(path);
	return ret;
}

int folder_files__add(struct path_list *list, const char *folder, struct error *err)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	size_t first = list->n;
	int ret = 0;

	if (!dir)
		return error__set(err, -errno, "%s: cannot be read: %s", folder, strerror(errno));
	while (ret == 0 && (entry = readdir(dir)) != NULL)
		ret = add_file(list, dir, folder, entry->d_name);
	closedir(dir);
	if (ret < 0)
		return error__set(err, ret, "%s: no memory", folder);
	if (list->n == first)
		return error__set(err, -ENOENT, "%s: there is no file in this folder", folder);
	qsort((void *)&list->at[first], list->n - first, sizeof(*list->at), compare_names);
	return 0;
}
