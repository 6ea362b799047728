/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Linux AIO: one operation is one control block, from io_submit to the io_getevents that reaps
 * it. Completions that the program takes out of the ring itself have no event.
 */
#ifndef BPF_AIO_BPF_H
#define BPF_AIO_BPF_H

#include "number.bpf.h"
#include "vfs.bpf.h"

/*
 * uapi/linux/aio_abi.h. Of a control block, what is asked for, in two pieces: all of it would be
 * too much for the stack, of which kernels before 6.13 give all functions together 512 bytes.
 */
#define AIO_BLOCK_AT  16
#define AIO_OFFSET_AT 40

struct aio_block {
	u16 opcode;
	u16 priority;
	u32 fd;
};

/* Of an event of 32 bytes, likewise. */
#define AIO_EVENT_SIZE 32
#define AIO_EVENT_AT   8

struct aio_event {
	u64 block;
	s64 result;
};

/* The most control blocks or events of one system call that are followed. */
#define AIO_MAX 65536

struct aio_loop {
	u64 array, start_ns, job;
	u32 tgid, process;
};

TM_INLINE u32 aio__function(u16 opcode)
{
	switch (opcode) {
	case 0: /* PREAD */
	case 7: /* PREADV */
		return TM_VFS_READ;
	case 1: /* PWRITE */
	case 8: /* PWRITEV */
		return TM_VFS_WRITE;
	case 2: /* FSYNC */
	case 3: /* FDSYNC */
		return TM_VFS_FSYNC;
	default:
		return TM_VFS_NONE;
	}
}

/*
 * The kernel copies a control block: a program may submit one again before the first completes.
 * They have the time of the first.
 */
TM_INLINE bool aio__joins(struct tm_aio_key *key, struct tm_request *request)
{
	struct tm_request *first = bpf_map_lookup_elem(&tm_aio, key);

	if (!first)
		return false;
	if (first->slot == request->slot)
		ADD(first->more, 1);
	else
		vfs__drop(request->function, request->slot, TM_LOSS_NO_ENTRY);
	return true;
}

/* One submission of a control block is over. */
TM_INLINE void aio__leave(struct tm_aio_key *key, struct tm_request *request)
{
	if (request->more)
		ADD(request->more, -1);
	else
		bpf_map_delete_elem(&tm_aio, key);
}

/* Where it is to read or write; where it appends is not known until it is over. */
TM_INLINE void aio__note_offset(struct tm_request *request, u64 block, struct file *file)
{
	bool appends =
		request->function == TM_VFS_WRITE && READ(struct file, file, f_flags) & O_APPEND;

	if (appends || bpf_probe_read_user(&request->offset, sizeof(request->offset),
					   (void *)(block + AIO_OFFSET_AT)))
		request->offset = TM_NO_OFFSET;
}

static long aio__begin(u32 i, struct aio_loop *loop)
{
	struct tm_aio_key key = { .tgid = loop->tgid };
	struct tm_request request = { .start_ns = loop->start_ns,
				      .job = loop->job,
				      .tgid = loop->tgid };
	struct aio_block block;
	struct file *file;

	if (bpf_probe_read_user(&key.block, sizeof(key.block), (void *)(loop->array + 8 * i)) ||
	    bpf_probe_read_user(&block, sizeof(block), (void *)(key.block + AIO_BLOCK_AT)))
		return 1;
	request.function = aio__function(block.opcode);
	if (!request.function)
		return 0;
	file = file__of(block.fd);
	if (!file || file__kind(file) != FILE_FILE) {
		vfs__filter(request.function);
		return 0;
	}
	request.slot = vfs__begin(loop->job, loop->process, request.function, file);
	if (request.slot == TM_NO_SLOT || aio__joins(&key, &request))
		return 0;
	if (object__is_on()) {
		vfs__note_object(&request, file);
		aio__note_offset(&request, key.block, file);
	}
	if (bpf_map_update_elem(&tm_aio, &key, &request, BPF_ANY))
		vfs__drop(request.function, request.slot, TM_LOSS_NO_ENTRY);
	return 0;
}

/* A control block that io_submit did not take. */
static long aio__undo(u32 i, struct aio_loop *loop)
{
	struct tm_aio_key key = { .tgid = loop->tgid };
	struct tm_request *request;

	if (bpf_probe_read_user(&key.block, sizeof(key.block), (void *)(loop->array + 8 * i)))
		return 1;
	request = bpf_map_lookup_elem(&tm_aio, &key);
	if (!request)
		return 0;
	vfs__drop(request->function, request->slot, TM_LOSSES);
	aio__leave(&key, request);
	return 0;
}

static long aio__end(u32 i, struct aio_loop *loop)
{
	struct tm_aio_key key = { .tgid = loop->tgid };
	struct tm_request *request;
	struct aio_event event;

	if (bpf_probe_read_user(&event, sizeof(event),
				(void *)(loop->array + AIO_EVENT_SIZE * i + AIO_EVENT_AT)))
		return 1;
	key.block = event.block;
	request = bpf_map_lookup_elem(&tm_aio, &key);
	if (!request)
		return 0; /* submitted before tracing began */
	vfs__end_request(request, loop->start_ns, event.result);
	aio__leave(&key, request);
	return 0;
}

/* Apart: beside what follows, not above it, on a stack that is all but used up. */
static __attribute__((noinline)) int aio__note_submitter(u32 tgid)
{
	process__note_submitter(tgid);
	return 0;
}

/* io_submit(context, n, blocks) begins. */
static __attribute__((noinline)) int aio__submit(u64 n, u64 blocks, const struct tm_thread *thread)
{
	struct aio_loop loop = {
		.array = blocks,
		.start_ns = thread->syscall.start_ns,
		.job = thread->syscall.job,
		.tgid = number__current_tgid(),
		.process = thread->process,
	};

	aio__note_submitter(loop.tgid);
	bpf_loop(n < AIO_MAX ? n : AIO_MAX, aio__begin, &loop, 0);
	return 0;
}

/* It ends: the kernel took only the first of them, or refused. */
static __attribute__((noinline)) int aio__submitted(u64 n, u64 blocks, s64 taken)
{
	struct aio_loop loop = { .tgid = number__current_tgid() };
	u64 first = taken > 0 ? taken : 0;

	n = n < AIO_MAX ? n : AIO_MAX;
	loop.array = blocks + 8 * first;
	if (first < n)
		bpf_loop(n - first, aio__undo, &loop, 0);
	return 0;
}

/* io_getevents(..., events, ...) returned n of them. */
static __attribute__((noinline)) int aio__reap(s64 n, u64 events, u64 now)
{
	struct aio_loop loop = {
		.array = events,
		.start_ns = now,
		.tgid = number__current_tgid(),
	};

	if (n > 0)
		bpf_loop(n < AIO_MAX ? n : AIO_MAX, aio__end, &loop, 0);
	return 0;
}

#endif
