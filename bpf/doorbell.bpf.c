// SPDX-License-Identifier: GPL-2.0-only
#include "doorbell.bpf.h"

/*
 * The time of a file's last change, as kernels name it: i_ctime until 6.5, __i_ctime since 6.6
 * (13bc24457850), two numbers since 6.11 (3aa63a569c64).
 */
TM_INLINE u64 changed(struct inode *inode)
{
	struct inode___ctime *before = (void *)inode;
	struct inode___u_ctime *between = (void *)inode;
	struct inode___ctime_sec *since = (void *)inode;

	if (bpf_core_field_exists(since->i_ctime_sec))
		return BPF_CORE_READ(since, i_ctime_sec) << 30 ^ BPF_CORE_READ(since, i_ctime_nsec);
	if (bpf_core_field_exists(between->__i_ctime))
		return BPF_CORE_READ(between, __i_ctime.tv_sec) << 30 ^
		       BPF_CORE_READ(between, __i_ctime.tv_nsec);
	return BPF_CORE_READ(before, i_ctime.tv_sec) << 30 ^ BPF_CORE_READ(before, i_ctime.tv_nsec);
}

/* Mixes a word into a hash: the golden ratio's multiplication, whose upper bits are the best. */
TM_INLINE u64 mix(u64 hash, u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 32;
}

__attribute__((noinline)) int doorbell__look(u64 file)
{
	struct inode *inode = BPF_CORE_READ((struct file *)file, f_inode);
	u64 hash = mix(BPF_CORE_READ(inode, i_ino), BPF_CORE_READ(inode, i_sb, s_dev));
	struct tm_ring ring = {};
	u64 bucket;

	hash = mix(mix(hash, BPF_CORE_READ(inode, i_generation)), changed(inode));
	bucket = hash & (TM_FILE_BUCKETS - 1);
	ring.tag = hash | 1;
	TM_PIN(bucket);
	bucket &= TM_FILE_BUCKETS - 1;
	for (int i = 0; i < TM_FILE_WAYS; i++)
		if (*(volatile u64 *)&tm_known_files[bucket * TM_FILE_WAYS + i] == ring.tag)
			return 0;
	ring.bucket = bucket;
	/* Where there is no room, it rings already. */
	bpf_ringbuf_output(&tm_rings, &ring, sizeof(ring), 0);
	return 0;
}
