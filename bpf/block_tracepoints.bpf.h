/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The programs on the block layer's tracepoints, for the two mechanisms that are given the kernel's
 * own arguments: BLOCK_SECTION and BLOCK_NAME() say which one.
 */
#ifndef BPF_BLOCK_TRACEPOINTS_BPF_H
#define BPF_BLOCK_TRACEPOINTS_BPF_H

#include "block_request.bpf.h"

/* One more step, so that the name is expanded. */
#define BLOCK_PROG(...) BPF_PROG(__VA_ARGS__)

/* A program: its tracepoint, its name, what it does, and its arguments. */
#define BLOCK_EVENT(tracepoint, name, action, ...)    \
	SEC(BLOCK_SECTION "/" #tracepoint)            \
	int BLOCK_PROG(BLOCK_NAME(name), __VA_ARGS__) \
	{                                             \
		action;                               \
		return 0;                             \
	}

/* Up to a54895fa057c ("block: remove the request_queue to argument request", 5.11) it came second.
 */
#ifdef BLOCK_TYPED
#define BLOCK_ONLY(rq) (rq)
#else
#define BLOCK_ONLY(rq) (tm_config.block_queue_first ? (struct request *)ctx[1] : (rq))
#endif

/* Since 5a80bd075f3b ("block: introduce new accounting tracepoints", 6.5). */
BLOCK_EVENT(block_io_start, start, request__start(rq, true), struct request *rq)

/* Before: what is queued, and which bio gets a request. */
BLOCK_EVENT(block_rq_insert, insert, request__meet(BLOCK_ONLY(rq)), struct request *rq)

BLOCK_EVENT(block_getrq, getrq, request__start_flush(bio), struct bio *bio)

BLOCK_EVENT(block_rq_issue, issue, request__issue(BLOCK_ONLY(rq)), struct request *rq)

BLOCK_EVENT(block_rq_merge, merge, request__merge(BLOCK_ONLY(rq)), struct request *rq)

BLOCK_EVENT(block_rq_complete, complete, request__complete(rq, status, bytes), struct request *rq,
	    int status, unsigned int bytes)

/* Since 5a80bd075f3b (6.5). */
BLOCK_EVENT(block_io_done, done, request__done(rq), struct request *rq)

BLOCK_EVENT(block_bio_queue, bio_queue, bio__start(bio), struct bio *bio)

BLOCK_EVENT(block_bio_complete, bio_complete, bio__complete(bio), struct request_queue *q,
	    struct bio *bio)

BLOCK_EVENT(writeback_single_inode_start, file_start, file__start(inode), struct inode *inode)

BLOCK_EVENT(writeback_single_inode, file_complete, file__complete(inode, wbc, planned),
	    struct inode *inode, struct writeback_control *wbc, unsigned long planned)

#endif
