/* SPDX-License-Identifier: GPL-2.0-only */
/* A cgroup that somebody names, of either version of the interface. */
#ifndef USER_HOST_CGROUP_H
#define USER_HOST_CGROUP_H

#include <limits.h>
#include <stdbool.h>
#include <linux/types.h>

#include "base/error.h"

struct cgroup {
	int version;	       /* 1 or 2 */
	int hierarchy;	       /* version 1: its number, as in /proc/PID/cgroup; else 0 */
	char controllers[128]; /* version 1: as in "cpu,cpuacct" or "name=systemd"; else "" */
	__u64 id;	       /* what BPF sees as kn->id */
	char path[PATH_MAX];   /* its directory, links resolved */
	char mount[PATH_MAX];  /* where its hierarchy is mounted */
	const char *name;      /* the part of path below mount, at least "/" */
};

/*
 * Finds a cgroup by the path of its directory, or by its path below a mounted hierarchy, as
 * /proc/PID/cgroup shows it: version 2 first, then those of version 1 in the order of their
 * mounts. *out is the caller's to free with free(). Errors: -ENOENT: there is none; -ENOTDIR: it
 * is not a cgroup's directory; -EACCES; -ENOMEM.
 */
int cgroup__find(struct cgroup **out, const char *path, struct error *err);

/*
 * The roots of all mounted hierarchies, each once: version 2 first, then those of version 1 in the
 * order of their mounts. To be freed with cgroup__free_roots(). 0, -ENOMEM, or why mounts cannot be
 * read.
 */
int cgroup__roots(struct cgroup ***items, size_t *n);
void cgroup__free_roots(struct cgroup **items, size_t n);

/* What the hierarchy of version 2 is called. */
#define CGROUP_V2 "v2"

/* What its hierarchy is called: CGROUP_V2, or the controllers of version 1. */
const char *cgroup__hierarchy(const struct cgroup *cgroup);
/* Is its hierarchy called so, or has it that controller of version 1? */
bool cgroup__is_of(const struct cgroup *cgroup, const char *name);

/* Does the io controller (version 1: blkio) tell this cgroup's I/O from that of those above it? */
bool cgroup__has_io(const struct cgroup *cgroup);

/* The id of a cgroup's directory; 0 or what the file system says. */
int cgroup__id_of(const char *dir, __u64 *id);

/*
 * Opens the directory of the cgroup with that id; mount is any open directory of its hierarchy.
 * The descriptor, or -ESTALE: there is none; -EPERM: needs CAP_DAC_READ_SEARCH.
 */
int cgroup__open_by_id(int mount, __u64 id);

#endif
