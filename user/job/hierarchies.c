// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "host/files.h"
#include "host/process.h"
#include "host/process_list.h"
#include "job/hierarchies.h"
#include "job/job_patterns.h"

/* Schedulers' folders are not so deep, whatever is made below. */
#define DEPTH_MAX 16
/* A folder has two links and another one for each folder in it. */
#define LINKS_OF_LEAF 2
/* Of cgroup.events. */
#define EVENTS_MAX 4096

const char *const hierarchy_reason_names[HIERARCHY_REASONS] = {
	[HIERARCHY_NONE] = "none", [HIERARCHY_SAID] = "said",	[HIERARCHY_ONLY] = "only",
	[HIERARCHY_JOBS] = "jobs", [HIERARCHY_KEPT] = "before", [HIERARCHY_DEFAULT] = "default",
};

struct entry {
	struct hierarchy shown; /* first: it is what others see */
	char **jobs;		/* "KIND ID" of each, sorted; NULL: it was not looked */
	size_t room;
	size_t n_cgroups; /* that were looked into */
};

struct hierarchies {
	struct job_patterns *patterns;
	struct cgroup **roots;
	struct entry *items; /* of those that can be used, as many as are roots at most */
	size_t n_roots, n;
};

/* The kernel has no number for a hierarchy that has but a name. */
static bool is_usable(const struct cgroup *root)
{
	return root->version == 2 || strncmp(root->controllers, "name=", 5) != 0;
}

/* In which order they are looked at. */
static int rank(const struct cgroup *root)
{
	if (root->version == 2)
		return 0;
	return cgroup__is_of(root, "freezer") ? 1 : 2;
}

static int find_roots(struct hierarchies *hierarchies, struct error *err)
{
	int ret = cgroup__roots(&hierarchies->roots, &hierarchies->n_roots);

	if (ret < 0)
		return error__set(err, ret, "/proc/self/mountinfo: %s", strerror(-ret));
	hierarchies->items = calloc(hierarchies->n_roots + 1, sizeof(*hierarchies->items));
	if (!hierarchies->items)
		return error__set(err, -ENOMEM, "no memory");
	for (int wanted = 0; wanted <= 2; wanted++)
		for (size_t i = 0; i < hierarchies->n_roots; i++) {
			const struct cgroup *root = hierarchies->roots[i];

			if (rank(root) == wanted && is_usable(root))
				hierarchies->items[hierarchies->n++].shown.root = root;
		}
	return 0;
}

int hierarchies__open(struct hierarchies **out, const char *patterns, struct error *err)
{
	struct hierarchies *hierarchies = calloc(1, sizeof(*hierarchies));
	int ret;

	if (!hierarchies)
		return error__set(err, -ENOMEM, "no memory");
	ret = job_patterns__new(&hierarchies->patterns, err);
	if (!ret && patterns)
		ret = job_patterns__read(hierarchies->patterns, patterns, err);
	if (!ret)
		ret = find_roots(hierarchies, err);
	if (ret < 0)
		hierarchies__close(hierarchies);
	else
		*out = hierarchies;
	return ret;
}

static void forget(struct entry *entry)
{
	for (size_t i = 0; i < entry->shown.n_jobs; i++)
		free(entry->jobs[i]);
	free(entry->jobs);
	*entry = (struct entry){ .shown.root = entry->shown.root };
}

void hierarchies__close(struct hierarchies *hierarchies)
{
	if (!hierarchies)
		return;
	for (size_t i = 0; i < hierarchies->n; i++)
		forget(&hierarchies->items[i]);
	free(hierarchies->items);
	cgroup__free_roots(hierarchies->roots, hierarchies->n_roots);
	job_patterns__free(hierarchies->patterns);
	free(hierarchies);
}

size_t hierarchies__n(const struct hierarchies *hierarchies)
{
	return hierarchies->n;
}

const struct hierarchy *hierarchies__at(const struct hierarchies *hierarchies, size_t i)
{
	return &hierarchies->items[i].shown;
}

/* Has it processes, or one below? In version 2 the kernel knows, also of those of containers. */
static bool is_populated(const struct cgroup *root, const char *dir)
{
	char path[PATH_MAX], *text;
	pid_t *pids = NULL;
	struct error err;
	bool populated;
	size_t n = 0;

	if (root->version == 1) {
		populated = process_list__cgroup(dir, &pids, &n, &err) == 0 && n > 0;
		free(pids);
		return populated;
	}
	if (files__path(path, sizeof(path), "%s/cgroup.events", dir) < 0 ||
	    files__read(path, EVENTS_MAX, &text, NULL) < 0)
		return false;
	populated = strstr(text, "populated 1") != NULL;
	free(text);
	return populated;
}

static int add_job(struct entry *entry, const struct job_match *match)
{
	char *job;

	if (array__grow((void **)&entry->jobs, &entry->room, entry->shown.n_jobs,
			sizeof(*entry->jobs)) < 0 ||
	    asprintf(&job, "%s %s", match->kind, match->jobid) < 0)
		return -ENOMEM;
	entry->jobs[entry->shown.n_jobs++] = job;
	return 0;
}

struct walk {
	const struct job_patterns *patterns;
	struct entry *entry;
	char dir[PATH_MAX]; /* where it is just now */
};

static int walk_below(struct walk *walk, int depth);

/* A job's own folder is not gone into, nor what a user has made, where there are no jobs. */
static int visit(struct walk *walk, int depth)
{
	const struct cgroup *root = walk->entry->shown.root;
	struct job_match match;
	struct stat st;

	if (job_patterns__match(walk->patterns, walk->dir + strlen(root->mount), &match))
		return is_populated(root, walk->dir) ? add_job(walk->entry, &match) : 0;
	walk->entry->n_cgroups++;
	if (depth == DEPTH_MAX || stat(walk->dir, &st) < 0 || st.st_uid != 0 ||
	    st.st_nlink <= LINKS_OF_LEAF)
		return 0;
	return walk_below(walk, depth + 1);
}

/* What vanishes meanwhile is passed over. */
static int walk_below(struct walk *walk, int depth)
{
	size_t length = strlen(walk->dir);
	DIR *d = opendir(walk->dir);
	struct dirent *entry;
	int ret = 0;

	while (d && !ret && (entry = readdir(d)) != NULL)
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.' &&
		    files__path(walk->dir + length, sizeof(walk->dir) - length, "/%s",
				entry->d_name) == 0)
			ret = visit(walk, depth);
	walk->dir[length] = '\0';
	if (d)
		closedir(d);
	return ret;
}

static int compare_paths(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

static int look_into(const struct hierarchies *hierarchies, struct entry *entry)
{
	struct walk walk = { .patterns = hierarchies->patterns, .entry = entry };
	int ret;

	forget(entry);
	ret = files__path(walk.dir, sizeof(walk.dir), "%s", entry->shown.root->mount);
	if (!ret)
		ret = walk_below(&walk, 0);
	if (entry->jobs)
		qsort(entry->jobs, entry->shown.n_jobs, sizeof(*entry->jobs), compare_paths);
	return ret;
}

int hierarchies__look(struct hierarchies *hierarchies)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < hierarchies->n; i++)
		ret = look_into(hierarchies, &hierarchies->items[i]);
	return ret;
}

/* other comes before one. */
static bool is_better(const struct entry *one, const struct entry *other)
{
	if (one->shown.n_jobs != other->shown.n_jobs)
		return one->shown.n_jobs > other->shown.n_jobs;
	return !one->shown.n_jobs && other->shown.root->version == 1 &&
	       one->n_cgroups > other->n_cgroups;
}

const struct hierarchy *hierarchies__best(const struct hierarchies *hierarchies)
{
	const struct entry *best = hierarchies->n ? hierarchies->items : NULL;

	for (size_t i = 1; i < hierarchies->n; i++)
		if (is_better(&hierarchies->items[i], best))
			best = &hierarchies->items[i];
	return best ? &best->shown : NULL;
}

const struct hierarchy *hierarchies__named(const struct hierarchies *hierarchies, const char *name)
{
	for (size_t i = 0; i < hierarchies->n; i++)
		if (cgroup__is_of(hierarchies->items[i].shown.root, name))
			return &hierarchies->items[i].shown;
	return NULL;
}

const struct hierarchy *hierarchies__of_process(const struct hierarchies *hierarchies, pid_t pid)
{
	struct job_match match;

	for (size_t i = 0; i < hierarchies->n; i++) {
		const struct hierarchy *shown = &hierarchies->items[i].shown;
		char *path = process__cgroup(pid, shown->root->hierarchy);
		bool is_job = path && job_patterns__match(hierarchies->patterns, path, &match);

		free(path);
		if (is_job)
			return shown;
	}
	return NULL;
}

static bool has_job(const struct entry *entry, const char *job)
{
	return entry->jobs &&
	       bsearch(&job, entry->jobs, entry->shown.n_jobs, sizeof(*entry->jobs), compare_paths);
}

static size_t count_beside(const struct entry *entry, const struct entry *own)
{
	size_t n = 0;

	for (size_t i = 0; i < entry->shown.n_jobs; i++)
		n += !has_job(own, entry->jobs[i]);
	return n;
}

/* The one that has most of them. */
static const struct entry *find_beside(const struct hierarchies *hierarchies,
				       const struct entry *own)
{
	const struct entry *found = NULL;
	size_t most = 0;

	for (size_t i = 0; i < hierarchies->n; i++) {
		size_t n = count_beside(&hierarchies->items[i], own);

		if (n <= most)
			continue;
		most = n;
		found = &hierarchies->items[i];
	}
	return found;
}

const struct hierarchy *hierarchies__beside(struct hierarchies *hierarchies,
					    const struct cgroup *root)
{
	const struct entry *most;
	struct entry *own = NULL;

	for (size_t i = 0; i < hierarchies->n; i++)
		if (hierarchies->items[i].shown.root->hierarchy == root->hierarchy)
			own = &hierarchies->items[i];
	if (!own || !find_beside(hierarchies, own) || look_into(hierarchies, own) < 0)
		return NULL;
	most = find_beside(hierarchies, own);
	return most ? &most->shown : NULL;
}
