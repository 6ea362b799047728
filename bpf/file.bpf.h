/* SPDX-License-Identifier: GPL-2.0-only */
/* From a descriptor or a struct file to what a VFS series is about. */
#ifndef BPF_FILE_BPF_H
#define BPF_FILE_BPF_H

#include "series.bpf.h"

/* uapi/linux/stat.h */
#define S_IFMT	 0170000
#define S_IFSOCK 0140000
#define S_IFREG	 0100000
#define S_IFBLK	 0060000
#define S_IFDIR	 0040000

enum file_kind {
	FILE_OTHER, /* pipe, terminal, device, epoll, ... */
	FILE_SOCKET,
	FILE_FILE, /* regular file, directory, block device: what VFS operations count */
};

/*
 * Reads a field of a kernel object. With the cast (a35b9af4ec2c, 6.2) it is one load; without, a
 * call of a helper. One object file can have the cast: bpftool 7.1 does not link an extern
 * function that two of them use.
 */
#ifdef FILE_WITH_CAST
extern void *bpf_rdonly_cast(void *object, __u32 type) __ksym __weak;

/* Not bpf_core_type_id_kernel(): see user/kernel/small_types.h. */
#define TYPE_ID(type)                                            \
	_Generic((type *)0, struct file *                        \
		 : tm_config.types.file, struct inode *          \
		 : tm_config.types.inode, struct mount *         \
		 : tm_config.types.mount, struct super_block *   \
		 : tm_config.types.super_block, struct pt_regs * \
		 : tm_config.types.regs, struct task_struct *    \
		 : tm_config.types.task, struct request *        \
		 : tm_config.types.request, struct bio *         \
		 : tm_config.types.bio, struct request_queue *   \
		 : tm_config.types.queue, struct gendisk *       \
		 : tm_config.types.disk, struct block_device *   \
		 : tm_config.types.device, struct blkcg_gq *     \
		 : tm_config.types.group, struct blkcg *         \
		 : tm_config.types.blkcg)

#define CAST(type, object) ((type *)bpf_rdonly_cast((void *)(object), TYPE_ID(type)))

#define READ(type, object, field)                                        \
	({                                                               \
		typeof(((type *)0)->field) value_;                       \
		if (tm_config.typed_reads)                               \
			value_ = CAST(type, object)->field;              \
		else                                                     \
			value_ = BPF_CORE_READ((type *)(object), field); \
		value_;                                                  \
	})
#else
#define READ(type, object, field) BPF_CORE_READ((type *)(object), field)
#endif

/* Where a descriptor's file is, as file__of() says: see typed.bpf.h. */
u64 file__address(u32 fd);

/* The file of a descriptor of the current task, NULL for none. It may be closed any moment. */
TM_INLINE struct file *file__of(u64 fd)
{
	return (struct file *)file__address(fd);
}

TM_INLINE enum file_kind file__kind(struct file *file)
{
	struct inode *inode = READ(struct file, file, f_inode);

	switch (READ(struct inode, inode, i_mode) & S_IFMT) {
	case S_IFREG:
	case S_IFDIR:
	case S_IFBLK:
		return FILE_FILE;
	case S_IFSOCK:
		return FILE_SOCKET;
	default:
		return FILE_OTHER;
	}
}

#define FMODE_CREATED (1 << 20) /* linux/fs.h: this open made the file */

TM_INLINE bool file__was_created(struct file *file)
{
	return READ(struct file, file, f_mode) & FMODE_CREATED;
}

TM_INLINE struct mount *file__mount(struct file *file)
{
	struct vfsmount *vfsmount = READ(struct file, file, f_path.mnt);

	return (void *)vfsmount - bpf_core_field_offset(struct mount, mnt);
}

TM_INLINE struct super_block *file__super_block(struct file *file)
{
	struct inode *inode = READ(struct file, file, f_inode);

	return READ(struct inode, inode, i_sb);
}

/* The slot of an operation on a file (NULL: which is not known). */
TM_INLINE u32 file__slot(u64 job, u32 process, u32 function, struct file *file)
{
	struct tm_key key = {
		.job = job,
		.process = process,
		.layer = TM_LAYER_VFS,
		.function = function,
	};
	struct super_block *sb = NULL;
	struct tm_series *series;
	u32 slot;

	if (file) {
		sb = file__super_block(file);
		key.where = TM_WHERE(READ(struct mount, file__mount(file), mnt_id),
				     READ(struct super_block, sb, s_dev));
	}
	slot = series__find(&key);
	series = series__at(slot);
	if (!series)
		return TM_NO_SLOT;
	/* Of what is among others there is no one file system. */
	if (file && series->key.where && !series->label[0])
		bpf_probe_read_kernel_str(series->label, sizeof(series->label),
					  BPF_CORE_READ(sb, s_type, name));
	return slot;
}

/*
 * The same, by what the thread found last time: a job's operations on one mount have one slot.
 * The mount's number guards against another mount at the same address.
 */
TM_INLINE u32 file__slot_cached(struct tm_thread *thread, u64 job, u32 function, struct file *file)
{
	struct tm_slot_cache *cache = &thread->slots[function % TM_SLOT_CACHES];
	struct mount *mount = file__mount(file);
	u32 id = READ(struct mount, mount, mnt_id);

	if (cache->mount == (u64)mount && cache->mount_id == id && cache->job == job &&
	    cache->function == function)
		return cache->slot;
	cache->mount = 0;
	cache->slot = file__slot(job, thread->process, function, file);
	if (cache->slot == TM_NO_SLOT)
		return TM_NO_SLOT;
	cache->mount_id = id;
	cache->job = job;
	cache->function = function;
	cache->mount = (u64)mount;
	return cache->slot;
}

#endif
