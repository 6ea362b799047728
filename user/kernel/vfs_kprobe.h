/* SPDX-License-Identifier: GPL-2.0-only */
/* VFS operations by kprobes: in one link, in a pair of them, or one by one. Only for user/kernel.
 */
#ifndef USER_KERNEL_VFS_KPROBE_H
#define USER_KERNEL_VFS_KPROBE_H

#include "kernel/hooks.h"
#include "kernel/rung.h"

/* After load: they hook what is not hooked yet. */
int vfs_kprobe__hook_session(const struct rung_context *context, struct hooks *hooks,
			     struct error *err);
int vfs_kprobe__hook_multi(const struct rung_context *context, struct hooks *hooks,
			   struct error *err);
int vfs_kprobe__hook(const struct rung_context *context, struct hooks *hooks, struct error *err);

#endif
