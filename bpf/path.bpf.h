/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The path of a file, as the kernel knows it, from the root of its mounts: walked up from the file,
 * into a struct tm_object_name. Whoever walks has a callback for bpf_loop() that finds that struct
 * in its map again, between path__step() and path__copy(): so little of the stack is needed.
 */
#ifndef BPF_PATH_BPF_H
#define BPF_PATH_BPF_H

#include "maps.bpf.h"

/* Components of a path, and mounts that it crosses, that are looked at. */
#define PATH_PARTS 32

struct path_walk {
	struct dentry *dentry;
	struct mount *mount;
	u32 slot, used; /* slot: of the walker's map */
	bool is_whole;
};

/* The walk begins at the file. */
TM_INLINE void path__begin(struct path_walk *walk, struct file *file)
{
	walk->dentry = BPF_CORE_READ(file, f_path.dentry);
	walk->mount =
		(void *)BPF_CORE_READ(file, f_path.mnt) - bpf_core_field_offset(struct mount, mnt);
}

enum path_step {
	PATH_ON,   /* to another mount: go on */
	PATH_OVER, /* that was the last one */
	PATH_NAME, /* path__copy() copies the name of the next component */
};

TM_INLINE enum path_step path__step(struct path_walk *walk)
{
	struct dentry *dentry = walk->dentry;
	struct mount *mount = walk->mount, *above = BPF_CORE_READ(mount, mnt_parent);

	if (dentry == BPF_CORE_READ(mount, mnt.mnt_root) && above != mount) {
		walk->dentry = BPF_CORE_READ(mount, mnt_mountpoint);
		walk->mount = above;
		return PATH_ON;
	}
	if (dentry != BPF_CORE_READ(dentry, d_parent) || !walk->used)
		return PATH_NAME;
	walk->is_whole = true;
	return PATH_OVER;
}

/* Copies the name of one more component, towards the root; PATH_OVER: there is no room. */
TM_INLINE enum path_step path__copy(struct path_walk *walk, struct tm_object_name *name)
{
	struct dentry *dentry = walk->dentry;
	u32 used = walk->used;
	long length;

	if (!name || used >= TM_NAME_PART)
		return PATH_OVER;
	TM_PIN(used);
	length = bpf_probe_read_kernel_str(&name->text[used & (TM_NAME_PART - 1)], TM_NAME_PART,
					   BPF_CORE_READ(dentry, d_name.name));
	if (length <= 0)
		return PATH_OVER;
	walk->used = used + length;
	walk->dentry = BPF_CORE_READ(dentry, d_parent);
	return PATH_ON;
}

/* Ends the name: that of who had the place before may have been longer. */
TM_INLINE void path__end(const struct path_walk *walk, struct tm_object_name *name)
{
	u32 used = walk->used;

	TM_PIN(used);
	if (used < TM_OBJECT_NAME)
		name->text[used & (TM_OBJECT_NAME - 1)] = 0;
}

#endif
