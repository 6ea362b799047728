/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counting by file. The record is looked up where an operation begins, as long as its file is
 * known; everything is counted where it ends. Without --objects nothing of this is left in the
 * programs: the verifier drops what depends on tm_config.objects.
 */
#ifndef BPF_OBJECT_BPF_H
#define BPF_OBJECT_BPF_H

#include "file.bpf.h"
#include "number.bpf.h"

#define TM_NO_OFFSET (~0ULL)
#define O_APPEND     02000 /* uapi/asm-generic/fcntl.h */

TM_INLINE bool object__is_on(void)
{
	return tm_config.objects;
}

/* An operation that ended. */
struct operation {
	struct tm_object_ref object;
	u64 job;
	u64 start_ns;
	u64 ns;
	u64 bytes;
	u64 offset; /* TM_NO_OFFSET: not known */
	u32 function;
	u8 layer;
	u8 direction; /* enum tm_direction */
	u8 is_sized;  /* it did not fail, and bytes is its size */
	u8 has_failed, is_retry;
	u8 pad[7];
};

/* Counts it, where the object has lost its record among the others. Not inlined: it is long. */
int object__count(struct operation *operation);

/*
 * The slot of a key, a new one where there is none, TM_NO_OBJECT where there is no room. file: the
 * address of the struct file that it is of, or 0; name: of an object that has one, or NULL. Not
 * inlined: a thread remembers which file it found. Hidden: verified where it is called, so that the
 * key needs no copy on the stack, of which AIO leaves little.
 */
__hidden u32 object__find(struct tm_object_key *wanted, u64 file, const struct tm_name_words *name);

TM_INLINE struct tm_object_ref object__ref(u32 slot)
{
	struct tm_object *object = bpf_map_lookup_elem(&tm_objects, &slot);

	if (!object)
		return (struct tm_object_ref){ .slot = TM_NO_OBJECT };
	return (struct tm_object_ref){ .slot = slot, .serial = object->serial };
}

/* All operations of a job by path alone. */
TM_INLINE struct tm_object_ref object__of_paths(u64 job)
{
	struct tm_object_key key = { .job = job, .layer = TM_LAYER_VFS, .what = TM_OBJECT_PATHS };

	return object__ref(object__find(&key, 0, NULL));
}

TM_INLINE struct tm_object_ref object__of_file(u64 job, u32 tgid, struct file *file)
{
	struct tm_object_key key = {
		.job = job, .tgid = tgid, .layer = TM_LAYER_VFS, .what = TM_OBJECT_FILE
	};
	struct inode *inode = READ(struct file, file, f_inode);
	struct super_block *sb = READ(struct inode, inode, i_sb);

	key.id[0] = READ(struct inode, inode, i_ino);
	key.id[1] = (u64)READ(struct super_block, sb, s_dev) << 32 |
		    READ(struct inode, inode, i_generation);
	return object__ref(object__find(&key, (u64)file, NULL));
}

/* The same for the current thread, by what it found last time. */
TM_INLINE struct tm_object_ref object__of_file_cached(struct tm_thread *thread, u64 job,
						      struct file *file)
{
	u64 address = (u64)file;
	/* The kernel aligns them to 64 bytes at least. */
	u32 index = (address >> 6 ^ address >> 8 ^ address >> 10) & (TM_OBJECT_CACHES - 1);
	struct tm_object_cache *cache = &thread->objects[index];
	struct inode *inode = READ(struct file, file, f_inode);
	u64 number = READ(struct inode, inode, i_ino);
	u32 generation = READ(struct inode, inode, i_generation);

	if (cache->file == address && cache->inode == number && cache->generation == generation &&
	    cache->job == job) {
		struct tm_object *object = bpf_map_lookup_elem(&tm_objects, &cache->object.slot);

		if (object && object->serial == cache->object.serial)
			return cache->object;
	}
	cache->object = object__of_file(job, number__current_tgid(), file);
	cache->inode = number;
	cache->generation = generation;
	cache->job = job;
	cache->file = cache->object.slot == TM_NO_OBJECT ? 0 : address;
	return cache->object;
}

/* Where an operation began that ended now: before its bytes, or where it was told to. */
TM_INLINE u64 object__offset(struct file *file, u64 told, u32 function, u64 bytes)
{
	struct inode *inode;

	if (told == TM_NO_OFFSET)
		return READ(struct file, file, f_pos) - bytes;
	/* Linux appends whatever offset pwrite() is told (pwrite(2), "BUGS"). */
	if (function != TM_VFS_WRITE || !(READ(struct file, file, f_flags) & O_APPEND))
		return told;
	inode = READ(struct file, file, f_inode);
	return READ(struct inode, inode, i_size) - bytes;
}

#endif
