/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files and objects of several processes, or of several runs, as one each. Within a job and layer
 * the same are:
 *
 *   what has a name       by that, whatever the process, the inode or the node
 *   ids of 128 bits       by these: they are a store's, not a process's
 *   files without a name  by inode and device, within a source
 *   handles               by their value, within a process: they mean nothing elsewhere
 *   what a job has once   (enum tm_object_what: all by path alone, all others)
 */
#ifndef USER_OBJECT_OBJECT_MERGE_H
#define USER_OBJECT_OBJECT_MERGE_H

#include "object/object_figures.h"

struct object_merge;

struct object_merge *object_merge__new(void);	     /* NULL: no memory */
void object_merge__free(struct object_merge *merge); /* NULL is fine */

/* What is added: an object as one of a source, with the job and layer that it has in the sum. */
struct object_merge_from {
	const struct snapshot_object *object; /* its name must outlive the merge */
	__u64 job;
	__u8 layer;
	__u32 source;	/* the node, say: inodes and processes are its own */
	__u64 shift_ns; /* is added to its times, modulo 2^64 */
};

/* 0 or -ENOMEM. */
int object_merge__add(struct object_merge *merge, const struct object_merge_from *from);

/*
 * All, the one that took most time first, with the number of processes, and in the key what they
 * are known by, else 0; valid until the next object is added.
 */
const struct snapshot_object *const *object_merge__sorted(const struct object_merge *merge);
size_t object_merge__count(const struct object_merge *merge);

#endif
