/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The truth of file operations. They are done in a process of its own, which does nothing else
 * with files, so that the loader's and the printing's are not among them.
 */
#ifndef STACK_LOAD_VFS_H
#define STACK_LOAD_VFS_H

#include "load.h"

enum { VFS_BYTES = 1 }; /* the result is a number of bytes */

struct vfs;

/* Counts one operation by its result (-1 and errno, or negative errno) and gives it back. */
long vfs_count(struct vfs *v, const char *function, long result, int flags);

/* Runs body in a child, in l->dir, and adds "vfs" and "vfs_pid" to what is printed. */
int vfs_run(struct load *l, void (*body)(const struct load *l, struct vfs *v));

#endif
