/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of processes. They are out of date as soon as they are there. */
#ifndef USER_HOST_PROCESS_LIST_H
#define USER_HOST_PROCESS_LIST_H

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * The process ids of the whole machine, as far as this pid namespace sees it, sorted. *pids is the
 * caller's to free. 0, -ENOMEM or what opening /proc says.
 */
int process_list__all(pid_t **pids, size_t *n, struct error *err);

/*
 * Those in a cgroup and in all below it; dir is its directory, of version 1 or 2. Cgroups that
 * vanish meanwhile are passed over. Errors: -ENOENT, -EACCES for dir itself; -ENOMEM.
 */
int process_list__cgroup(const char *dir, pid_t **pids, size_t *n, struct error *err);

#endif
