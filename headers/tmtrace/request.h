/* SPDX-License-Identifier: GPL-2.0-only */
/* What is in flight: keyed by what names it until it completes, wherever that is. */
#ifndef TMTRACE_REQUEST_H
#define TMTRACE_REQUEST_H

/* A VFS operation that completes later: an AIO control block, an io_uring request. */
struct tm_request {
	__u64 start_ns;
	__u64 job;
	__u32 slot;
	__u32 function;
	__u32 tgid;
	__u32 settled; /* io_uring: the file was known at the start: the slot is right */
	__u32 more;    /* AIO: submissions of the same control block, beside the first */
	__u32 pad;
};

struct tm_aio_key {
	__u64 block; /* address of the control block */
	__u32 tgid;
	__u32 pad;
};

/* A block request, from its start to its completion. */
struct tm_block_request {
	__u64 start_ns;
	__u64 issue_ns; /* 0: not given to the device yet */
	__u64 bytes;	/* completed so far */
	__u32 slot;
	__u16 function;
	__u16 status; /* blk_status_t of the first part that failed, 0: none did */
};

#endif
