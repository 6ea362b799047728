/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose jobs are whose: the user of a cgroup. */
#ifndef USER_SERVICE_OWNERS_H
#define USER_SERVICE_OWNERS_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

struct owners;

/* Of nobody but root, as far as is known. */
#define OWNERS_NOBODY ((uid_t)-1)

/* mount: where the cgroups' hierarchy is mounted; NULL: it is not. NULL without memory. */
struct owners *owners__new(const char *mount);
void owners__free(struct owners *owners); /* NULL is fine */

/*
 * The user of a job, by its cgroup's path below the mount: the one in the path, where systemd or
 * Slurm put it; else who owns the folder; else the one whom all processes in it belong to, or,
 * where there are none, all below but root's. What was found once stays: of a job that is over it
 * could not be found any more. A scheduler's job (is_job) is nobody's while it has but processes of
 * root's: these begin it.
 */
uid_t owners__of(struct owners *owners, __u64 job, const char *path, bool is_job);

/* The user that a path names; OWNERS_NOBODY: it names none. */
uid_t owners__in_path(const char *path);

#endif
