/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hierarchies of cgroups that are mounted, and which jobs of schedulers live in each. A job
 * lives where its cgroup, or one below, has processes: folders that are left of jobs that are over
 * do not count.
 */
#ifndef USER_JOB_HIERARCHIES_H
#define USER_JOB_HIERARCHIES_H

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "host/cgroup.h"

struct hierarchies;

struct hierarchy {
	const struct cgroup *root;
	size_t n_jobs; /* that live there */
};

/* Why jobs are told by one. */
enum hierarchy_reason {
	HIERARCHY_NONE,	   /* no cgroups are mounted */
	HIERARCHY_SAID,	   /* by --hierarchy, --cgroup, or the configuration */
	HIERARCHY_ONLY,	   /* there is no other */
	HIERARCHY_JOBS,	   /* jobs live there, or did a moment ago */
	HIERARCHY_KEPT,	   /* it was that of the service before, and no jobs live in any */
	HIERARCHY_DEFAULT, /* no jobs live in any */
	HIERARCHY_REASONS,
};

/* A word for each, as records have it. */
extern const char *const hierarchy_reason_names[HIERARCHY_REASONS];

/* The one by which they are. */
struct hierarchy_choice {
	struct cgroup *root; /* NULL: none is mounted */
	enum hierarchy_reason reason;
};

/*
 * Looks for them once. patterns: a file, as of job_patterns__read(), NULL: none. 0 and *out, or a
 * negative errno: why mounts or patterns cannot be read, -ENOMEM. Named hierarchies of version 1
 * are left out: the kernel cannot tell processes by them.
 */
int hierarchies__open(struct hierarchies **out, const char *patterns, struct error *err);
void hierarchies__close(struct hierarchies *hierarchies); /* NULL is fine */

/* Version 2 comes first, then the freezer of version 1, which has all processes of Slurm's jobs. */
size_t hierarchies__n(const struct hierarchies *hierarchies);
const struct hierarchy *hierarchies__at(const struct hierarchies *hierarchies, size_t i);

/* Counts the jobs of each, anew. 0, or -ENOMEM. */
int hierarchies__look(struct hierarchies *hierarchies);

/*
 * By which jobs are to be told, as it was looked: the one in which most live; else version 2; else
 * the one of version 1 that has most cgroups. NULL: none is mounted.
 */
const struct hierarchy *hierarchies__best(const struct hierarchies *hierarchies);
/* The one that is called so (cgroup__is_of()); NULL: there is none. */
const struct hierarchy *hierarchies__named(const struct hierarchies *hierarchies, const char *name);
/* The first one in which a process is in a job's cgroup; NULL: there is none. */
const struct hierarchy *hierarchies__of_process(const struct hierarchies *hierarchies, pid_t pid);

/*
 * The one in which most jobs live that do not live in the one of that root; NULL: there are none,
 * or no memory. What may have begun in the meantime is looked for again there.
 */
const struct hierarchy *hierarchies__beside(struct hierarchies *hierarchies,
					    const struct cgroup *root);

#endif
