/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The paths of a hierarchy's cgroups by their ids. What was known once stays known for ten minutes
 * after it was last seen or asked for: the last records of a cgroup come later than its end.
 * Refresh now and then, which is also when the long gone are forgotten.
 */
#ifndef USER_HOST_CGROUP_NAMES_H
#define USER_HOST_CGROUP_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/error.h"

struct cgroup_names;

/* mount: where the hierarchy is mounted (version 1 or 2). 0 and *out, or -ENOENT, -ENOMEM. */
int cgroup_names__open(struct cgroup_names **out, const char *mount, struct error *err);
void cgroup_names__close(struct cgroup_names *names); /* NULL is fine */

/*
 * The path below the mount, "/" for the root; NULL when it is not known. What is new is looked up
 * by its handle, and by walking the hierarchy, at most once a second, where that is not allowed.
 * Valid until the next call of any of these functions.
 */
const char *cgroup_names__path(struct cgroup_names *names, __u64 id);

/*
 * A cgroup that has been made, or has got another name: the last part of its path; the path of its
 * parent is looked up. 0, -ENOENT: that is not known; -ENOMEM.
 */
int cgroup_names__add(struct cgroup_names *names, __u64 id, __u64 parent, const char *name);
/* It is gone: its path stays known for ten minutes, but of many only those that went last. */
void cgroup_names__note_end(struct cgroup_names *names, __u64 id);

/* Does the kernel not know it any more? false also where that may not be asked. */
bool cgroup_names__is_gone(const struct cgroup_names *names, __u64 id);
/* Nobody will ask for one that is gone. */
void cgroup_names__forget(struct cgroup_names *names, __u64 id);

/* The id of the cgroup that is, or was, at the first bytes of a path. 0, or -ENOENT. */
int cgroup_names__find(struct cgroup_names *names, const char *path, size_t bytes, __u64 *id);

/* Walks the whole hierarchy: learns the new and the renamed, forgets the long gone. 0, -ENOMEM. */
int cgroup_names__refresh(struct cgroup_names *names);
/* Calls take for each that is known, gone or not. */
void cgroup_names__each(const struct cgroup_names *names,
			void (*take)(void *context, __u64 id, const char *path), void *context);
/* How often one got another path so far. */
__u64 cgroup_names__renames(const struct cgroup_names *names);
size_t cgroup_names__n(const struct cgroup_names *names);

#endif
