// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/process_list.h"
#include "service/owners.h"

/* More than there are cgroups; beyond it all is found anew. */
#define KNOWN_MAX 65536

struct known {
	__u64 job; /* first: the tree compares it */
	uid_t uid;
};

struct owners {
	char *mount; /* NULL: none */
	void *tree;  /* of struct known, tsearch(3) */
	size_t n;
};

struct owners *owners__new(const char *mount)
{
	struct owners *owners = calloc(1, sizeof(*owners));

	if (!owners || !mount)
		return owners;
	owners->mount = strdup(mount);
	if (owners->mount)
		return owners;
	free(owners);
	return NULL;
}

void owners__free(struct owners *owners)
{
	if (!owners)
		return;
	tdestroy(owners->tree, free);
	free(owners->mount);
	free(owners);
}

/* The number behind a name in a path, up to what ends it. */
static uid_t number_after(const char *path, const char *name, const char *end)
{
	const char *at = strstr(path, name);
	unsigned long uid;
	char *rest;

	if (!at || at[strlen(name)] < '0' || at[strlen(name)] > '9')
		return OWNERS_NOBODY;
	errno = 0;
	uid = strtoul(at + strlen(name), &rest, 10);
	if (errno || uid >= OWNERS_NOBODY || strncmp(rest, end, strlen(end)) != 0)
		return OWNERS_NOBODY;
	return (uid_t)uid;
}

/* A user cannot make cgroups in these places that name another one. */
uid_t owners__in_path(const char *path)
{
	static const struct {
		const char *begin, *name, *end;
	} places[] = {
		{ "/user.slice/", "/user.slice/user-", ".slice" }, /* systemd */
		{ "/slurm", "/uid_", "/" },			   /* Slurm, version 1 */
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (!strncmp(path, places[i].begin, strlen(places[i].begin)))
			return number_after(path, places[i].name, places[i].end);
	return OWNERS_NOBODY;
}

static uid_t of_process(int pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	return stat(path, &st) < 0 ? OWNERS_NOBODY : st.st_uid;
}

/* The user of all processes in a cgroup; OWNERS_NOBODY: there is none, or they are of several. */
static uid_t of_processes(const char *folder, bool *is_empty)
{
	uid_t uid = OWNERS_NOBODY;
	char path[PATH_MAX + 16];
	FILE *file;
	int pid;

	*is_empty = true;
	snprintf(path, sizeof(path), "%s/cgroup.procs", folder);
	file = fopen(path, "re");
	while (file && fscanf(file, "%d", &pid) == 1) {
		uid_t one = of_process(pid);

		*is_empty = false;
		if (one != uid && uid != OWNERS_NOBODY) {
			uid = OWNERS_NOBODY;
			break;
		}
		uid = one;
	}
	if (file)
		fclose(file);
	return uid;
}

/*
 * Of one that has none itself, as a job of Slurm in version 2, the one user of those below, beside
 * root, whose slurmstepd is in a cgroup of its own there.
 */
static uid_t of_processes_below(const char *folder)
{
	uid_t uid = OWNERS_NOBODY;
	pid_t *pids = NULL;
	struct error err;
	bool one_user = true;
	size_t n;

	if (process_list__cgroup(folder, &pids, &n, &err) < 0)
		return OWNERS_NOBODY;
	for (size_t i = 0; i < n && one_user; i++) {
		uid_t one = of_process(pids[i]);

		if (one == 0 || one == OWNERS_NOBODY)
			continue;
		one_user = uid == OWNERS_NOBODY || one == uid;
		uid = one;
	}
	free(pids);
	return one_user ? uid : OWNERS_NOBODY;
}

static uid_t find_owner(const struct owners *owners, const char *path, bool is_job)
{
	uid_t uid = owners__in_path(path);
	char folder[PATH_MAX];
	bool is_empty;
	struct stat st;

	if (uid != OWNERS_NOBODY || !owners->mount)
		return uid;
	snprintf(folder, sizeof(folder), "%s%s", owners->mount, path);
	if (stat(folder, &st) == 0 && st.st_uid != 0)
		return st.st_uid;
	uid = of_processes(folder, &is_empty);
	if (is_empty)
		uid = of_processes_below(folder);
	/* Root begins jobs of users. */
	return is_job && uid == 0 ? OWNERS_NOBODY : uid;
}

static int compare_jobs(const void *left, const void *right)
{
	const struct known *a = left, *b = right;

	return a->job < b->job ? -1 : a->job > b->job;
}

static void remember(struct owners *owners, __u64 job, uid_t uid)
{
	struct known *known = malloc(sizeof(*known));

	if (!known)
		return;
	if (owners->n == KNOWN_MAX) {
		tdestroy(owners->tree, free);
		owners->tree = NULL;
		owners->n = 0;
	}
	*known = (struct known){ job, uid };
	if (tsearch(known, &owners->tree, compare_jobs))
		owners->n++;
	else
		free(known);
}

uid_t owners__of(struct owners *owners, __u64 job, const char *path, bool is_job)
{
	const struct known wanted = { .job = job };
	struct known **node = tfind(&wanted, &owners->tree, compare_jobs);
	uid_t uid;

	if (node)
		return (*node)->uid;
	if (!job || !path)
		return OWNERS_NOBODY;
	uid = find_owner(owners, path, is_job);
	/* An empty one may get processes yet. */
	if (uid != OWNERS_NOBODY)
		remember(owners, job, uid);
	return uid;
}
