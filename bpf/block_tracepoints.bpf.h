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

/* Up to a54895fa057c ("block: remove the request_queue to argument request", 5.11) it came second.
 */
#ifdef BLOCK_TYPED
#define BLOCK_ONLY(rq) (rq)
#else
#define BLOCK_ONLY(rq) (tm_config.block_queue_first ? (struct request *)ctx[1] : (rq))
#endif

/* Since 5a80bd075f3b ("block: introduce new accounting tracepoints", 6.5). */
SEC(BLOCK_SECTION "/block_io_start")
int BLOCK_PROG(BLOCK_NAME(start), struct request *rq)
{
	request__start(rq, true);
	return 0;
}

/* Before: what is queued, and which bio gets a request. */
SEC(BLOCK_SECTION "/block_rq_insert")
int BLOCK_PROG(BLOCK_NAME(insert), struct request *rq)
{
	request__meet(BLOCK_ONLY(rq));
	return 0;
}

SEC(BLOCK_SECTION "/block_getrq")
int BLOCK_PROG(BLOCK_NAME(getrq), struct bio *bio)
{
	request__start_flush(bio);
	return 0;
}

SEC(BLOCK_SECTION "/block_rq_issue")
int BLOCK_PROG(BLOCK_NAME(issue), struct request *rq)
{
	request__issue(BLOCK_ONLY(rq));
	return 0;
}

SEC(BLOCK_SECTION "/block_rq_merge")
int BLOCK_PROG(BLOCK_NAME(merge), struct request *rq)
{
	struct tm_block_key key = { .what = (u64)BLOCK_ONLY(rq) };

	block__merge(&key);
	return 0;
}

SEC(BLOCK_SECTION "/block_rq_complete")
int BLOCK_PROG(BLOCK_NAME(complete), struct request *rq, int status, unsigned int bytes)
{
	request__complete(rq, status, bytes);
	return 0;
}

/* Since 5a80bd075f3b (6.5). */
SEC(BLOCK_SECTION "/block_io_done")
int BLOCK_PROG(BLOCK_NAME(done), struct request *rq)
{
	request__done(rq);
	return 0;
}

SEC(BLOCK_SECTION "/block_bio_queue")
int BLOCK_PROG(BLOCK_NAME(bio_queue), struct bio *bio)
{
	bio__start(bio);
	return 0;
}

SEC(BLOCK_SECTION "/block_bio_complete")
int BLOCK_PROG(BLOCK_NAME(bio_complete), struct request_queue *q, struct bio *bio)
{
	bio__complete(bio);
	return 0;
}

SEC(BLOCK_SECTION "/writeback_single_inode_start")
int BLOCK_PROG(BLOCK_NAME(file_start), struct inode *inode)
{
	file__start(inode);
	return 0;
}

SEC(BLOCK_SECTION "/writeback_single_inode")
int BLOCK_PROG(BLOCK_NAME(file_complete), struct inode *inode, struct writeback_control *wbc,
	       unsigned long planned)
{
	file__complete(inode, wbc, planned);
	return 0;
}

#endif
