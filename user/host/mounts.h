/* SPDX-License-Identifier: GPL-2.0-only */
/* What is mounted, by mount id; also in other mount namespaces. */
#ifndef USER_HOST_MOUNTS_H
#define USER_HOST_MOUNTS_H

#include <sys/types.h>

#include "base/error.h"

struct mounts;

struct mount_entry {
	int id;
	unsigned int major; /* of the file system's device number */
	unsigned int minor;
	const char *point;
	const char *source;
	const char *type; /* as "ext4" */
};

/* 0 and *out, or -ENOMEM or what opening /proc/self/mountinfo says. */
int mounts__open(struct mounts **out, struct error *err);
void mounts__close(struct mounts *mounts); /* NULL is fine */

/*
 * The mount of that id, or NULL. When it is not known in the own namespace, that of the process is
 * read; pid 0: only the own. Read anew when something was mounted or unmounted meanwhile: where the
 * id is known, more than a millisecond ago. Of other namespaces, what was once seen is remembered.
 * Valid until the next call.
 */
const struct mount_entry *mounts__find(struct mounts *mounts, int id, pid_t pid);

#endif
