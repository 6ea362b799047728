// SPDX-License-Identifier: GPL-2.0-only
/*
 * Block I/O by probes on the block layer's functions, for kernels that do not give their
 * tracepoints: on those that the kernel exports to its modules, so that no compiler has merged them
 * into others.
 */
#include "block_request.bpf.h"

/* Not exported, and merged into its callers before 6.5: who starts a request is asked there. */
SEC("kprobe/blk_account_io_start")
int BPF_KPROBE(block_kprobe_start, struct request *rq)
{
	request__meet(rq);
	return 0;
}

SEC("kprobe/blk_mq_start_request")
int BPF_KPROBE(block_kprobe_issue, struct request *rq)
{
	request__issue(rq);
	return 0;
}

/*
 * A flush without data is not issued. At the end of one with data this is called again, for
 * nothing: then the request has moved on from its sector.
 */
TM_INLINE bool is_empty_flush(struct request *rq, u32 bytes)
{
	return !bytes && !READ(rq, __data_len) && !READ(rq, __sector) &&
	       block__function(READ(rq, cmd_flags)) == TM_BLOCK_WRITE;
}

SEC("kprobe/blk_update_request")
int BPF_KPROBE(block_kprobe_complete, struct request *rq, u8 status, unsigned int bytes)
{
	if (is_empty_flush(rq, bytes))
		request__meet(rq);
	request__complete(rq, status, bytes);
	return 0;
}

/* One of a batch. Not inlined: in the loop, the verifier would go through it each time. */
__attribute__((noinline)) int block__end_batched(u64 address)
{
	struct request *rq = (void *)address;

	request__complete(rq, 0, READ(rq, __data_len));
	return 0;
}

/* The most requests of one batch (blk-mq gathers up to 32 of them). */
#define BATCH_MAX 64

/* Those that completed together, since 5.16: they do not pass by blk_update_request(). */
SEC("kprobe/blk_mq_end_request_batch")
int BPF_KPROBE(block_kprobe_batch, struct io_comp_batch *batch)
{
	struct request *rq = NULL;

	bpf_probe_read_kernel(&rq, sizeof(rq), batch);
	for (int i = 0; i < BATCH_MAX && rq; i++) {
		block__end_batched((u64)rq);
		rq = READ(rq, rq_next);
	}
	return 0;
}

/* Without a completion: it was merged into another one. */
SEC("kprobe/blk_mq_free_request")
int BPF_KPROBE(block_kprobe_merge, struct request *rq)
{
	request__merge(rq);
	return 0;
}

/* It is called again with what is left of a bio that was split. */
SEC("kprobe/submit_bio_noacct_nocheck")
int BPF_KPROBE(block_kprobe_bio_queue, struct bio *bio)
{
	struct tm_block_key key = { .what = (u64)bio };

	if (!bpf_map_lookup_elem(&tm_requests, &key))
		bio__start(bio);
	return 0;
}

/* Each part of a chain ends; the last one ends the bio. */
SEC("kprobe/bio_endio")
int BPF_KPROBE(block_kprobe_bio_complete, struct bio *bio)
{
	if (READ(bio, __bi_remaining.counter) <= 1)
		bio__complete(bio);
	return 0;
}
