/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What one series of measurements is about. The key is hashed in the kernel as bytes: no padding.
 * Include <linux/types.h> or vmlinux.h first.
 */
#ifndef TMTRACE_KEY_H
#define TMTRACE_KEY_H

/* In place of a number: one for which there was no room, or of which nothing more was told. */
#define TM_PROCESS_OTHERS (~0U)

/* Layers below the catalogue; the catalogue's layers follow in its order. */
enum tm_layer {
	TM_LAYER_VFS,
	TM_LAYER_BLOCK,
	TM_LAYER_USER, /* the first of the catalogue */
};

enum tm_vfs_function {
	TM_VFS_NONE,
	TM_VFS_READ,
	TM_VFS_WRITE,
	TM_VFS_OPEN,
	TM_VFS_CLOSE,
	TM_VFS_FSYNC,
	TM_VFS_STAT,
	TM_VFS_READDIR,
	TM_VFS_CREATE,
	TM_VFS_UNLINK,
	TM_VFS_RENAME,
	TM_VFS_MKDIR,
	TM_VFS_RMDIR,
	TM_VFS_TRUNCATE,
	TM_VFS_FALLOCATE,
	TM_VFS_SPLICE,
	TM_VFS_COPY_RANGE,
	TM_VFS_MMAP,
	TM_VFS_FUNCTIONS,
};

enum tm_block_function {
	TM_BLOCK_READ,
	TM_BLOCK_WRITE,
	TM_BLOCK_FLUSH,
	TM_BLOCK_DISCARD,
	TM_BLOCK_FUNCTIONS,
};

enum tm_key_flag {
	TM_KEY_WRITEBACK = 1, /* block: issued by the kernel, not by the one who wrote the data */
	TM_KEY_NO_DISK = 2,  /* block: to a file system without a block device: its device number */
	TM_KEY_METADATA = 4, /* block: a file system's own blocks, not contents of files */
	TM_KEY_OPERATION = 8, /* libraries: operations that the function launched, not its calls */
	TM_KEY_BY_SIZE = 16,  /* libraries: calls once more, by the size class of their object */
	TM_KEY_ASSOCIATION = 32, /* libraries: from a call that joins to one that leaves */
	TM_KEY_ADDB = 64,	 /* libraries: sums over ADDB2 records that the function told */
	TM_KEY_TASK_IO = 128,	 /* vfs: what the kernel itself has counted, see task_io.h */
	TM_KEY_UNSEEN = 128,	 /* libraries: calls while the function was parked, see series.h */
};

/* In place of a cgroup id: jobs that there was no room for, or that are long gone. */
#define TM_JOB_OTHERS (~0ULL)
/* In place of a shard: what the loader alone counts into, of cgroups that are gone. */
#define TM_SHARD_LOADER 0xffff

struct tm_key {
	__u64 job; /* cgroup id; 0: cannot be attributed; TM_JOB_OTHERS */
	/* vfs: mount id << 32 | device of the super block; block: device; libraries: 0, with
	 * TM_KEY_BY_SIZE tm_object_size_class(), or TM_OBJECT_SIZES: not known; with TM_KEY_ADDB
	 * TM_ADDB_WHERE() */
	__u64 where;
	__u32 process; /* its number, or TM_PROCESS_OTHERS, see process.h; 0: not told apart */
	__u32 function;
	__u8 layer;
	__u8 flags;  /* enum tm_key_flag */
	__u16 shard; /* a hot series is spread over shards; the reader adds them up */
	__u32 pad;
};

/* Are the figures those of operations? They say nothing about the time of the calls. */
static inline int key__is_operation(const struct tm_key *key)
{
	return key->layer >= TM_LAYER_USER && (key->flags & TM_KEY_OPERATION);
}

static inline int key__is_by_size(const struct tm_key *key)
{
	return key->layer >= TM_LAYER_USER && (key->flags & TM_KEY_BY_SIZE);
}

static inline int key__is_association(const struct tm_key *key)
{
	return key->layer >= TM_LAYER_USER && (key->flags & TM_KEY_ASSOCIATION);
}

static inline int key__is_addb(const struct tm_key *key)
{
	return key->layer >= TM_LAYER_USER && (key->flags & TM_KEY_ADDB);
}

/* Are the figures the kernel's own, of whatever tasks read and write? They are of no function. */
static inline int key__is_task_io(const struct tm_key *key)
{
	return key->layer == TM_LAYER_VFS && (key->flags & TM_KEY_TASK_IO);
}

/* Are the figures about calls that were not seen? The loader alone sets them. */
static inline int key__is_unseen(const struct tm_key *key)
{
	return key->layer >= TM_LAYER_USER && (key->flags & TM_KEY_UNSEEN);
}

/* Do the figures stand beside those of the function's calls, and are no part of any sum of them? */
static inline int key__is_beside(const struct tm_key *key)
{
	return key__is_operation(key) || key__is_by_size(key) || key__is_association(key) ||
	       key__is_addb(key) || key__is_task_io(key) || key__is_unseen(key);
}

/* Are the figures those of calls of a library's function? */
static inline int key__is_call(const struct tm_key *key)
{
	return key->layer >= TM_LAYER_USER && !key__is_beside(key);
}

/* The key under which a series counts with the same ones of other jobs, on whatever mount. */
static inline void key__fold(struct tm_key *key)
{
	key->job = TM_JOB_OTHERS;
	if (key->process)
		key->process = TM_PROCESS_OTHERS;
	if (key->layer == TM_LAYER_VFS)
		key->where = 0;
}

#define TM_WHERE(mount, device) ((__u64)(mount) << 32 | (__u32)(device))

#endif
