// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "host/files.h"
#include "host/process.h"
#include "host/process_list.h"

#define PROCS_MAX (64UL << 20)
#define DEPTH_MAX 100

struct pids {
	pid_t *items;
	size_t n;
	size_t room;
};

static int add_pid(struct pids *pids, long pid)
{
	if (pid <= 0 || pid > INT_MAX)
		return 0; /* 0: in another pid namespace */
	if (array__grow((void **)&pids->items, &pids->room, pids->n, sizeof(*pids->items)) < 0)
		return -ENOMEM;
	pids->items[pids->n++] = (pid_t)pid;
	return 0;
}

static int compare_pids(const void *left, const void *right)
{
	const pid_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

/* Sorts, leaves each once, and hands over; after an error it only frees. */
static void finish_list(struct pids *pids, int ret, pid_t **out, size_t *n)
{
	size_t kept = 0;

	if (ret) {
		free(pids->items);
		return;
	}
	if (pids->n)
		qsort(pids->items, pids->n, sizeof(*pids->items), compare_pids);
	for (size_t i = 0; i < pids->n; i++) {
		if (kept == 0 || pids->items[kept - 1] != pids->items[i])
			pids->items[kept++] = pids->items[i];
	}
	*out = pids->items;
	*n = kept;
}

int process_list__all(pid_t **pids, size_t *n, struct error *err)
{
	struct pids list = { 0 };
	struct dirent *entry;
	int ret = 0;
	DIR *d;

	d = opendir("/proc");
	if (!d)
		return error__set(err, -errno, "/proc: %s", strerror(errno));
	while (!ret && (entry = readdir(d))) {
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			ret = add_pid(&list, strtol(entry->d_name, NULL, 10));
	}
	closedir(d);
	finish_list(&list, ret, pids, n);
	return ret ? error__set(err, ret, "listing processes: out of memory") : 0;
}

/* Adds the numbers of a file; threads: they are of threads, whose processes are wanted. */
static int add_file(struct pids *pids, const char *dir, const char *name, bool threads)
{
	char path[PATH_MAX], *text, *at, *end;
	int ret;

	ret = files__path(path, sizeof(path), "%s/%s", dir, name);
	if (!ret)
		ret = files__read(path, PROCS_MAX, &text, NULL);
	if (ret)
		return ret;
	for (at = text; !ret; at = end) {
		long pid = strtol(at, &end, 10);

		if (end == at)
			break;
		ret = add_pid(pids, threads ? process__tgid((pid_t)pid) : pid);
	}
	free(text);
	return ret;
}

/* dir has room for PATH_MAX; it is lengthened on the way down and is as before at the return. */
static int add_cgroup(struct pids *pids, char *dir, int depth)
{
	size_t length = strlen(dir);
	struct dirent *entry;
	int ret;
	DIR *d;

	ret = add_file(pids, dir, "cgroup.procs", false);
	if (ret == -EOPNOTSUPP) /* a threaded cgroup lists only threads */
		ret = add_file(pids, dir, "cgroup.threads", true);
	if (ret || depth == DEPTH_MAX)
		return ret;
	d = opendir(dir);
	if (!d)
		return -errno;
	while (ret != -ENOMEM && (entry = readdir(d))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.' ||
		    files__path(dir + length, PATH_MAX - length, "/%s", entry->d_name) < 0)
			continue;
		ret = add_cgroup(pids, dir, depth + 1); /* others: it has vanished */
	}
	dir[length] = '\0';
	closedir(d);
	return ret == -ENOMEM ? ret : 0;
}

int process_list__cgroup(const char *dir, pid_t **pids, size_t *n, struct error *err)
{
	struct pids list = { 0 };
	char path[PATH_MAX];
	int ret;

	ret = files__path(path, sizeof(path), "%s", dir);
	if (!ret)
		ret = add_cgroup(&list, path, 0);
	finish_list(&list, ret, pids, n);
	if (ret)
		return error__set(err, ret, "%s: its processes cannot be listed: %s", dir,
				  strerror(-ret));
	return 0;
}
