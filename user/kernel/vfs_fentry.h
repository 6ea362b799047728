/* SPDX-License-Identifier: GPL-2.0-only */
/* VFS operations by fentry and fexit. Only for user/kernel. */
#ifndef USER_KERNEL_VFS_FENTRY_H
#define USER_KERNEL_VFS_FENTRY_H

#include "kernel/hooks.h"
#include "kernel/rung.h"

/* Before load: which programs are needed for all of them, or only those that are called often. */
void vfs_fentry__choose(const struct rung_context *context, bool often);

/* After load: hooks all of them, or only those that are called often. */
int vfs_fentry__hook(const struct rung_context *context, struct hooks *hooks, bool often,
		     struct error *err);

#endif
