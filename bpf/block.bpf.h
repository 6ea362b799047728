/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counting block I/O, whatever mechanism sees it: what the kernel counts in /proc/diskstats. A
 * device with requests counts requests that completed, and flushes by its own flush requests; one
 * without (device-mapper, md, zram, pmem) counts bios as they were submitted to it. Who started
 * something is asked when it starts; it is counted when the last of its bytes completes.
 *
 * bpf/block_*.bpf.c have the mechanisms: they fill in a block_io and call these.
 */
#ifndef BPF_BLOCK_BPF_H
#define BPF_BLOCK_BPF_H

#include "scope.bpf.h"
#include "series.bpf.h"

/* linux/blk_types.h: the operation is in the low bits of the flags. */
#define REQ_OP_MASK	    0xff
#define REQ_OP_READ	    0
#define REQ_OP_WRITE	    1
#define REQ_OP_FLUSH	    2
#define REQ_OP_DISCARD	    3
#define REQ_OP_SECURE_ERASE 5
#define REQ_OP_ZONE_APPEND  7
#define REQ_OP_WRITE_ZEROES 9

#define BLOCK_NO_FUNCTION ((u32)-1)

/* What starts. */
struct block_io {
	struct tm_block_key key;
	u64 name;     /* address of the device's name; 0: not known here */
	u64 cgroup;   /* address of the one that the data is charged to; 0: not known */
	u64 bio;      /* address of its first one; 0: not known */
	u64 start_ns; /* 0: now */
	u64 sector;   /* TM_NO_SECTOR: it has none; may be left out without --calls */
	u64 job;      /* whose it is, once it is owned */
	u32 process;  /* the same; 0: the kernel issued it on somebody's behalf */
	u32 device;
	u32 function; /* enum tm_block_function */
	u32 bytes;    /* to complete, as far as that is known when it starts */
	u8 flags;     /* enum tm_key_flag */
	u8 owned;     /* enum block_owned */
	u8 marked;    /* as metadata, by the kernel */
	u8 by_task;   /* once it is owned: the current task started it */
	u32 tgid;     /* whose account it is in, once it is owned; 0: nobody's */
};

/* Of requests at one place, so many are told apart, by these bits of tm_block_key.place. */
#define BLOCK_TWINS 8
#define BLOCK_TWIN  16

enum block_owned {
	BLOCK_NOT_ASKED, /* block__start() asks */
	BLOCK_TRACED,
	BLOCK_FOREIGN,
};

/*
 * What is behind the pointers of a request, or a bio, whose address is io->key.what: its bio, disk
 * and cgroup; see typed.bpf.h. Of a bio: 1 where its disk takes requests, else 0.
 */
int request__look(struct block_io *io);
int bio__look(struct block_io *io);

/* Not inlined: every mechanism has the same. */
/* Asks whose it is; for those who want it to be known before block__start(). */
int block__own(struct block_io *io);
int block__start(struct block_io *io);
/* The device got it, with so many bytes from there on. False: nothing is known of it. */
bool block__issue(struct tm_block_key *key, u32 bytes, u64 sector);
/* It is known by another key from now on. False: nothing is known of it. */
bool block__rename(struct tm_block_key *from, struct tm_block_key *to);
/* It is gone without a completion: it was merged into another one. */
int block__merge(struct tm_block_key *key);
/*
 * Bytes of it completed, with an errno or 0; last: these were the last. False: nothing is known of
 * it, or somebody else completed it meanwhile.
 */
bool block__complete(struct tm_block_key *key, u32 bytes, u32 error, bool last);
/* All of block_io.bytes completed at once, if without an error. */
bool block__complete_all(struct tm_block_key *key, u32 error);

/* Are the pages of a bio a file system's own, not those of a file's contents? 0: no bio. */
bool block__holds_metadata(u64 bio);

/* As the kernel groups them for its own statistics (op_stat_group()). */
TM_INLINE u32 block__function(blk_opf_t flags)
{
	switch (flags & REQ_OP_MASK) {
	case REQ_OP_READ:
		return TM_BLOCK_READ;
	case REQ_OP_WRITE:
	case REQ_OP_ZONE_APPEND:
	case REQ_OP_WRITE_ZEROES:
		return TM_BLOCK_WRITE;
	case REQ_OP_FLUSH:
		return TM_BLOCK_FLUSH;
	case REQ_OP_DISCARD:
	case REQ_OP_SECURE_ERASE:
		return TM_BLOCK_DISCARD;
	default:
		return BLOCK_NO_FUNCTION; /* no I/O */
	}
}

/* A blk_status_t as errno, as the kernel's own table has them (block/blk-core.c). */
TM_INLINE u32 block__errno(u8 status)
{
	switch (status) {
	case 0:
		return 0;
	case 1: /* BLK_STS_NOTSUPP */
		return 95;
	case 2: /* TIMEOUT */
		return 110;
	case 3: /* NOSPC */
		return 28;
	case 4: /* TRANSPORT */
		return 67;
	case 5: /* TARGET */
		return 121;
	case 6: /* RESV_CONFLICT */
		return 52;
	case 7: /* MEDIUM */
		return 61;
	case 8: /* PROTECTION */
		return 84;
	case 9: /* RESOURCE */
		return 12;
	case 12: /* AGAIN */
		return 11;
	default:
		return 5;
	}
}

#endif
