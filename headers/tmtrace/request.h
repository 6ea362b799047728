/* SPDX-License-Identifier: GPL-2.0-only */
/* What is in flight: keyed by what names it until it completes, wherever that is. */
#ifndef TMTRACE_REQUEST_H
#define TMTRACE_REQUEST_H

#include "tmtrace/object.h"

/* A VFS operation that completes later: an AIO control block, an io_uring request. */
struct tm_request {
	__u64 start_ns;
	__u64 job;
	__u32 slot;
	__u32 function;
	__u32 tgid;
	__u32 settled; /* io_uring: the file was known at the start: the slot is right */
	__u32 more;    /* AIO: submissions of the same control block, beside the first */
	__u32 process; /* the series' */
	/* Where files are counted: */
	__u64 offset; /* where it reads or writes; ~0: at the file's own position, or not known */
	struct tm_object_ref object;
};

struct tm_aio_key {
	__u64 block; /* address of the control block */
	__u32 tgid;
	__u32 pad;
};

/*
 * What a block request is known by: its address; or, where a mechanism does not tell that, its
 * place: the sector, and device and operation.
 */
struct tm_block_key {
	__u64 what;
	__u64 place; /* 0: what is an address */
};

/* A block request, from its start to its completion. */
struct tm_block_request {
	__u64 start_ns;
	__u64 issue_ns; /* 0: not given to the device yet */
	__u64 bytes;	/* completed so far */
	__u32 slot;	/* ~0: of nobody that is traced */
	__u32 left;	/* bytes still to complete, as far as that was announced */
	__u16 function;
	__u16 error;	  /* errno of the first part that failed, 0: none did */
	__u32 given_back; /* by place: to be issued again */
	__u32 tgid;	  /* of the process that started it, where accounts are kept; else 0 */
	__u64 id;	  /* of its record, where single calls are recorded; 0: there is none */
};

/* Who started a block request. */
struct tm_block_issuer {
	__u64 parent;	/* id of the operation on files in which it was; 0: in none */
	__u32 pid, tid; /* 0: the kernel, on somebody's behalf */
	char comm[16];
};

/* Where requests have no address: who started the one at a place. */
struct tm_block_start {
	__u64 ns;
	__u64 job;
	__u32 process;
	__u32 tgid; /* as in struct tm_block_request */
	__u8 flags; /* enum tm_key_flag */
	__u8 owned;
	__u8 pad[6];
	struct tm_block_issuer issuer; /* where single calls are recorded */
};

#endif
