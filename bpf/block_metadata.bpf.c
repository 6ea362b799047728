// SPDX-License-Identifier: GPL-2.0-only
/* Which block I/O is a file system's own, not contents of files. */
#include "block.bpf.h"

/* linux/stat.h, linux/page-flags.h (memory of processes has a mapping that is no file's) */
#define S_IFMT		   0170000
#define S_IFDIR		   0040000
#define S_IFBLK		   0060000
#define S_IFLNK		   0120000
#define PAGE_MAPPING_FLAGS 3

/* The file that the first page of a bio is of; NULL: of none. */
TM_INLINE struct inode *bio__file(struct bio *bio)
{
	struct bio_vec *vec = BPF_CORE_READ(bio, bi_io_vec);
	u64 index = BPF_CORE_READ(bio, bi_iter.bi_idx);
	u64 mapping;

	if (!vec || !BPF_CORE_READ(bio, bi_iter.bi_size))
		return NULL;
	vec = (void *)vec + index * bpf_core_type_size(struct bio_vec);
	/* That of a folio's further pages cannot be read. */
	mapping = (u64)BPF_CORE_READ(vec, bv_page, mapping);
	if (!mapping || mapping & PAGE_MAPPING_FLAGS)
		return NULL;
	return BPF_CORE_READ((struct address_space *)mapping, host);
}

/*
 * Blocks of metadata are pages of the device itself while somebody holds it, such as who has
 * mounted it. Without, they are the contents of what was written to the device.
 */
TM_INLINE bool inode__is_held_device(struct inode *inode)
{
	u64 device = (u64)inode - bpf_core_field_offset(struct bdev_inode, vfs_inode);

	return BPF_CORE_READ((struct bdev_inode *)device, bdev.bd_holders);
}

__attribute__((noinline)) bool block__holds_metadata(u64 bio)
{
	struct inode *file = bio__file((void *)bio);

	if (!file)
		return false;
	switch (BPF_CORE_READ(file, i_mode) & S_IFMT) {
	case S_IFDIR:
	case S_IFLNK:
		return true;
	case S_IFBLK:
		return inode__is_held_device(file);
	default:
		return false;
	}
}
