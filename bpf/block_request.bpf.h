/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel's own types say of requests and bios, for the mechanisms that are given them.
 * Where their pointers are typed (BLOCK_TYPED), the verifier lets them be read like memory.
 */
#ifndef BPF_BLOCK_REQUEST_BPF_H
#define BPF_BLOCK_REQUEST_BPF_H

#include "block.bpf.h"
#include "recorder.bpf.h"

#ifdef BLOCK_TYPED
#define READ(...) ___arrow(__VA_ARGS__)
#else
#define READ(...) BPF_CORE_READ(__VA_ARGS__)
#endif

#define BLOCK_PAGE_SIZE 4096

/* Is it part of, or does it end, a sequence with flushes? Nothing is merged with such a request. */
TM_INLINE bool block__is_flush_sequence(blk_opf_t flags)
{
	u64 bits = 1ULL << bpf_core_enum_value(enum req_flag_bits, __REQ_PREFLUSH) |
		   1ULL << bpf_core_enum_value(enum req_flag_bits, __REQ_FUA);

	return flags & bits;
}

/* Does the kernel say that it is metadata? */
TM_INLINE bool block__is_marked(blk_opf_t flags)
{
	return (u64)flags >> bpf_core_enum_value(enum req_flag_bits, __REQ_META) & 1;
}

/* Where it is on the disk, as far as that is asked for. */
TM_INLINE u64 request__sector(struct request *rq)
{
	return recorder__is_on() ? READ(rq, __sector) : 0;
}

TM_INLINE u64 bio__sector(struct bio *bio)
{
	return recorder__is_on() ? READ(bio, bi_iter.bi_sector) : 0;
}

/* What io.key is of has these flags. */
TM_INLINE void block__note_flags(struct block_io *io, blk_opf_t flags)
{
	io->function = block__function(flags);
	io->marked = block__is_marked(flags);
}

/* told: it starts now; else it has started, and the kernel may have kept when. */
TM_INLINE void request__start(struct request *rq, bool told)
{
	struct block_io io = { .key = { .what = (u64)rq } };

	request__look(&io);
	block__note_flags(&io, READ(rq, cmd_flags));
	if (io.function == BLOCK_NO_FUNCTION)
		return;
	io.bytes = READ(rq, __data_len);
	io.sector = request__sector(rq);
	if (!told)
		io.start_ns = READ(rq, start_time_ns);
	block__start(&io);
}

/*
 * Where starts are not told: who sends a flush is asked when its bio gets a request. The request
 * goes through the flush machinery, and a worker issues it, or nobody does.
 */
TM_INLINE void request__start_flush(struct bio *bio)
{
	struct block_io io = { .key = { .what = (u64)bio } };
	blk_opf_t flags = READ(bio, bi_opf);

	bio__look(&io);
	block__note_flags(&io, flags);
	if (!block__is_flush_sequence(flags) || io.function == BLOCK_NO_FUNCTION)
		return;
	io.bytes = READ(bio, bi_iter.bi_size);
	io.sector = bio__sector(bio);
	block__start(&io);
}

/*
 * Has the request's own start been told, or that of the flush that it is part of? The flush
 * machinery has taken that from its flags.
 */
TM_INLINE bool request__is_known(struct request *rq)
{
	struct tm_block_key key = { .what = (u64)rq }, flush = {};

	if (bpf_map_lookup_elem(&tm_requests, &key))
		return true;
	flush.what = (u64)BPF_CORE_READ(rq, bio);
	return flush.what && block__rename(&flush, &key);
}

/*
 * A request is met whose start was not seen: the flush machinery's own has none, before 6.5 none is
 * told, and programs are skipped.
 */
TM_INLINE void request__meet(struct request *rq)
{
	if (tm_config.block_starts || !request__is_known(rq))
		request__start(rq, false);
}

/*
 * The flush machinery has one request, for one flush after the other: one that is with the device
 * already has completed unseen, as good as always.
 */
TM_INLINE bool request__was_unseen(struct request *rq, struct tm_block_key *key)
{
	struct tm_block_request *request = bpf_map_lookup_elem(&tm_requests, key);

	return request && request->issue_ns && (READ(rq, cmd_flags) & REQ_OP_MASK) == REQ_OP_FLUSH;
}

TM_INLINE void request__issue(struct request *rq)
{
	struct tm_block_key key = { .what = (u64)rq };
	u32 bytes = READ(rq, __data_len); /* nothing is merged into it any more */
	u64 sector = request__sector(rq);

	if (request__was_unseen(rq, &key))
		request__start(rq, false);
	else if (block__issue(&key, bytes, sector))
		return;
	else
		request__meet(rq);
	block__issue(&key, bytes, sector);
}

/*
 * A request completes whose start and issue were not seen: since the kernel lets tracepoint
 * programs be preempted (7.2, not 6.18), it skips them meanwhile for other threads on that CPU. It
 * is not known whose it is, but with the whole machine it counts.
 */
TM_INLINE void request__find_out(struct request *rq, u32 bytes)
{
	struct block_io io = { .key = { .what = (u64)rq } };

	request__look(&io);
	block__note_flags(&io, READ(rq, cmd_flags));
	if (io.function == BLOCK_NO_FUNCTION)
		return;
	/* A flush sequence with data ends once more after its data, beyond its first sector. */
	if (io.function == TM_BLOCK_WRITE && !bytes && READ(rq, __sector))
		return;
	io.start_ns = READ(rq, start_time_ns);
	io.owned = BLOCK_TRACED;
	io.bytes = bytes;
	io.sector = request__sector(rq);
	block__start(&io);
}

/* status: a blk_status_t, in some kernels' tracepoints a negative errno. */
TM_INLINE void request__complete(struct request *rq, int status, u32 bytes)
{
	struct tm_block_key key = { .what = (u64)rq };
	u32 error = tm_config.block_errno ? -status : block__errno(status);
	bool last = bytes >= READ(rq, __data_len);

	/* A flush without data was never issued. */
	if (!tm_config.block_starts)
		request__is_known(rq);
	if (tm_config.scope == TM_SCOPE_ALL && !bpf_map_lookup_elem(&tm_requests, &key))
		request__find_out(rq, bytes);
	block__complete(&key, bytes, error, last);
}

/*
 * The kernel accounts for a request that completed. It is known no more, unless the program for its
 * completion was skipped.
 */
TM_INLINE void request__done(struct request *rq)
{
	struct tm_block_key key = { .what = (u64)rq };

	block__complete_all(&key, 0);
}

/* It is gone without a completion: it was merged into another one. */
TM_INLINE void request__merge(struct request *rq)
{
	struct tm_block_key key = { .what = (u64)rq };

	block__merge(&key);
}

/* A bio for a device without requests. It is with the device at once. */
TM_INLINE void bio__start(struct bio *bio)
{
	struct block_io io = { .key = { .what = (u64)bio } };

	if (bio__look(&io))
		return;
	block__note_flags(&io, READ(bio, bi_opf));
	if (io.function == BLOCK_NO_FUNCTION)
		return;
	io.bytes = READ(bio, bi_iter.bi_size);
	io.sector = bio__sector(bio);
	block__start(&io);
	block__issue(&io.key, io.bytes, io.sector);
}

TM_INLINE void bio__complete(struct bio *bio)
{
	struct tm_block_key key = { .what = (u64)bio };

	block__complete_all(&key, block__errno(READ(bio, bi_status)));
}

/* linux/fs.h: a file system on a block device. Its block requests tell what is written. */
#define FS_REQUIRES_DEV 1
#define S_IFMT		0170000
#define S_IFBLK		0060000

/* The kernel begins to write back the dirty pages of a file, for instance to a server. */
TM_INLINE void file__start(struct inode *inode)
{
	struct file_system_type *type = BPF_CORE_READ(inode, i_sb, s_type);
	struct block_io io = {
		.key = { .what = (u64)inode },
		.name = (u64)BPF_CORE_READ(type, name),
		.device = BPF_CORE_READ(inode, i_sb, s_dev),
		.sector = TM_NO_SECTOR,
		.function = TM_BLOCK_WRITE,
		.flags = TM_KEY_NO_DISK,
	};

	if ((READ(inode, i_mode) & S_IFMT) == S_IFBLK ||
	    BPF_CORE_READ(type, fs_flags) & FS_REQUIRES_DEV)
		return;
	block__start(&io);
	block__issue(&io.key, io.bytes, io.sector);
}

/* planned: the pages that it was to write at the most; what is left of them is in wbc. */
TM_INLINE void file__complete(struct inode *inode, struct writeback_control *wbc, long planned)
{
	struct tm_block_key key = { .what = (u64)inode };
	long pages = planned - READ(wbc, nr_to_write);

	if (pages > 0)
		block__complete(&key, pages * BLOCK_PAGE_SIZE, 0, true);
	else
		block__merge(&key); /* no data: its attributes */
}

#endif
