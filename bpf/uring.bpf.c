// SPDX-License-Identifier: GPL-2.0-only
/*
 * io_uring: one operation is one request, from its submission to its completion. The submitter's
 * process is right under SQPOLL too: the kernel's submission thread is a thread of it.
 */
#include "number.bpf.h"
#include "processes.bpf.h"
#include "scope.bpf.h"
#include "vfs.bpf.h"

/* uapi/linux/io_uring.h, enum io_uring_op */
TM_INLINE u32 uring__function(u8 opcode)
{
	switch (opcode) {
	case 1:	 /* READV */
	case 4:	 /* READ_FIXED */
	case 22: /* READ */
	case 60: /* READV_FIXED */
		return TM_VFS_READ;
	case 2:	 /* WRITEV */
	case 5:	 /* WRITE_FIXED */
	case 23: /* WRITE */
	case 61: /* WRITEV_FIXED */
		return TM_VFS_WRITE;
	case 3: /* FSYNC */
	case 8: /* SYNC_FILE_RANGE */
		return TM_VFS_FSYNC;
	case 17:
		return TM_VFS_FALLOCATE;
	case 18: /* OPENAT */
	case 28: /* OPENAT2 */
		return TM_VFS_OPEN;
	case 19:
		return TM_VFS_CLOSE;
	case 21: /* STATX */
		return TM_VFS_STAT;
	case 30:
		return TM_VFS_SPLICE;
	case 35: /* RENAMEAT */
		return TM_VFS_RENAME;
	case 36: /* UNLINKAT */
		return TM_VFS_UNLINK;
	case 37: /* MKDIRAT */
		return TM_VFS_MKDIR;
	case 55:
		return TM_VFS_TRUNCATE;
	default:
		return TM_VFS_NONE;
	}
}

TM_INLINE bool uring__is_by_path(u32 function)
{
	return function == TM_VFS_OPEN || function == TM_VFS_STAT || function == TM_VFS_RENAME ||
	       function == TM_VFS_UNLINK || function == TM_VFS_RMDIR || function == TM_VFS_MKDIR;
}

#define ECANCELED	  125	     /* uapi/asm-generic/errno.h */
#define REQ_F_CQE_SKIP	  (1 << 6)   /* linux/io_uring_types.h: no completion on success */
#define AT_REMOVEDIR	  0x200	     /* uapi/linux/fcntl.h */
#define SPLICE_F_FD_FIXED (1U << 31) /* uapi/linux/io_uring.h */

/*
 * The file that an operation is on, where its request does not keep it until completion: of a
 * close, nothing is left then; of a splice it keeps only the destination. A fixed file has no
 * descriptor.
 */
TM_INLINE struct file *uring__file_at_start(struct io_kiocb *req, u32 function)
{
	struct io_splice *splice = (void *)req;
	struct io_close *close = (void *)req;

	if (function == TM_VFS_CLOSE && !BPF_CORE_READ(close, file_slot))
		return file__of(BPF_CORE_READ(close, fd));
	if (function == TM_VFS_SPLICE && !(BPF_CORE_READ(splice, flags) & SPLICE_F_FD_FIXED))
		return file__of(BPF_CORE_READ(splice, splice_fd_in));
	return NULL;
}

TM_INLINE u32 uring__function_of(struct io_kiocb *req)
{
	u32 function = uring__function(req->opcode);
	struct io_unlink *unlink = (void *)req;

	if (function == TM_VFS_UNLINK && BPF_CORE_READ(unlink, flags) & AT_REMOVEDIR)
		return TM_VFS_RMDIR;
	return function;
}

/*
 * A request at the address of one that still seems to be in flight: that one's completion was not
 * seen, because the completion ring was full.
 */
TM_INLINE void uring__heal(u64 key)
{
	struct tm_request *old = bpf_map_lookup_elem(&tm_uring, &key);

	if (old)
		vfs__drop(old->function, old->slot, TM_LOSS_UNSEEN);
}

/* Where it is to read or write: the kernel has looked at the request by now. */
TM_INLINE u64 uring__offset(struct io_kiocb *req, u32 function)
{
	struct io_rw *rw = (void *)req;

	if (function != TM_VFS_READ && function != TM_VFS_WRITE)
		return TM_NO_OFFSET;
	return BPF_CORE_READ(rw, kiocb.ki_pos);
}

TM_INLINE int uring__begin(struct io_kiocb *req)
{
	struct tm_request request = {};
	u64 key = (u64)req;
	struct file *file;

	request.function = uring__function_of(req);
	if (!request.function || scope__is_over() || !scope__holds())
		return 0;
	request.job = scope__job();
	request.process = process__of(NULL);
	request.tgid = number__current_tgid();
	file = uring__file_at_start(req, request.function);
	if (file && file__kind(file) != FILE_FILE)
		file = NULL;
	if (!file && request.function == TM_VFS_CLOSE)
		return 0;
	/* Until the file is known, the operation is in flight among those on unknown files. */
	request.settled = file != NULL;
	if (object__is_on()) {
		request.offset = uring__offset(req, request.function);
		if (file)
			vfs__note_object(&request, file);
	}
	request.slot = vfs__begin(request.job, request.process, request.function, file);
	if (request.slot == TM_NO_SLOT)
		return 0;
	if (req->flags & REQ_F_CQE_SKIP) {
		vfs__drop(request.function, request.slot, TM_LOSS_UNSEEN);
		return 0;
	}
	uring__heal(key);
	process__note_submitter(request.tgid);
	request.start_ns = bpf_ktime_get_ns();
	if (bpf_map_update_elem(&tm_uring, &key, &request, BPF_ANY))
		vfs__drop(request.function, request.slot, TM_LOSS_NO_ENTRY);
	return 0;
}

SEC("tp_btf/io_uring_submit_req")
int BPF_PROG(uring_submit, struct io_kiocb *req)
{
	return uring__begin(req);
}

/* Its name until 2ad57931db64, 6.4. */
SEC("tp_btf/io_uring_submit_sqe")
int BPF_PROG(uring_submit_sqe, struct io_kiocb *req)
{
	return uring__begin(req);
}

/* The file that a completed request was on; NULL where that is not known. */
TM_INLINE struct file *uring__file(struct io_kiocb *req, struct tm_request *request, s64 result)
{
	struct io_open *open = (void *)req;

	if (request->function == TM_VFS_OPEN && result >= 0 &&
	    request->tgid == number__current_tgid() && !BPF_CORE_READ(open, file_slot))
		return file__of(result);
	if (uring__is_by_path(request->function))
		return NULL;
	return BPF_CORE_READ(req, file);
}

/* An operation named by path, of which no file is known, stays where it is. */
TM_INLINE bool uring__settle(struct tm_request *request, struct file *file)
{
	if (!file && uring__is_by_path(request->function))
		return true;
	return vfs__settle(request->job, request->process, &request->function, &request->slot,
			   file);
}

/* What counting by file wants to know, which may only be known now. */
TM_INLINE void uring__note_object(struct tm_request *request, struct file *file, s64 result)
{
	if (request->settled)
		return;
	vfs__note_object(request, file);
	if (file && result >= 0 &&
	    (request->function == TM_VFS_READ || request->function == TM_VFS_WRITE))
		request->offset = object__offset(file, request->offset, request->function, result);
}

/*
 * One on a file that is cancelled was never begun: a link before it failed, or no worker had taken
 * it. Kernels differ in whether such a request has its file.
 */
TM_INLINE int uring__end(struct io_kiocb *req, s64 result)
{
	u64 key = (u64)req, now = bpf_ktime_get_ns();
	struct tm_request *request = bpf_map_lookup_elem(&tm_uring, &key);
	struct file *file;

	if (!request || scope__is_over())
		return 0;
	file = request->settled ? NULL : uring__file(req, request, result);
	if (result == -ECANCELED) {
		vfs__drop(request->function, request->slot, TM_LOSSES);
	} else if (request->settled || uring__settle(request, file)) {
		if (object__is_on())
			uring__note_object(request, file, result);
		vfs__end_request(request, now, result);
	}
	bpf_map_delete_elem(&tm_uring, &key);
	return 0;
}

/* Since 072d37b53ba9 (6.16) the completion's entry is given. */
SEC("tp_btf/io_uring_complete")
int BPF_PROG(uring_complete, void *ring, struct io_kiocb *req, struct io_uring_cqe *cqe)
{
	return uring__end(req, BPF_CORE_READ(cqe, res));
}

/* Before, its fields. */
SEC("tp_btf/io_uring_complete")
int BPF_PROG(uring_complete_fields, void *ring, struct io_kiocb *req, u64 user_data, int result)
{
	return uring__end(req, result);
}
