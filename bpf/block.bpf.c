// SPDX-License-Identifier: GPL-2.0-only
/*
 * Block requests, by the BTF tracepoints: who started one is asked when it starts; it is counted
 * when the last of its bytes completes. These are what the kernel counts in /proc/diskstats, but
 * for devices without requests (device-mapper, md, zram, pmem).
 */
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

#define PF_KTHREAD 0x00200000 /* linux/sched.h */

/* As the kernel groups them for its own statistics (op_stat_group()); -1: not I/O. */
TM_INLINE int block__function(blk_opf_t flags)
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
		return -1;
	}
}

/*
 * Whose request this is: false where nobody's that is traced. Writes by kernel threads are
 * writeback: the job that wrote the data is not known here, so with a narrower scope than the
 * whole machine they are job 0, of everybody.
 */
TM_INLINE bool block__owner(struct tm_key *key)
{
	struct task_struct *task = bpf_get_current_task_btf();
	bool kernel = task->flags & PF_KTHREAD;

	if (kernel && key->function != TM_BLOCK_READ)
		key->flags = TM_KEY_WRITEBACK;
	if (scope__holds()) {
		key->job = scope__job();
		return true;
	}
	return key->flags != 0;
}

TM_INLINE void block__forget(struct tm_block_request *request, u64 address)
{
	struct tm_series *series = series__at(request->slot);

	if (series)
		ADD(series->in_flight, -1ULL);
	bpf_map_delete_elem(&tm_requests, &address);
}

/*
 * A request that starts where another still seems to be in flight: that one's completion was not
 * seen. On some kernels no BPF program runs in some completion interrupts.
 */
TM_INLINE void block__heal(u64 address)
{
	struct tm_block_request *old = bpf_map_lookup_elem(&tm_requests, &address);
	struct tm_ledger *ledger;

	if (!old)
		return;
	ledger = ledger__of(TM_PROBE_BLOCK + old->function);
	if (ledger)
		ledger__lose(ledger, TM_LOSS_UNSEEN);
	block__forget(old, address);
}

TM_INLINE void block__start(struct request *rq)
{
	struct tm_key key = { .layer = TM_LAYER_BLOCK };
	struct tm_block_request request = {};
	struct tm_ledger *ledger;
	struct tm_series *series;
	struct gendisk *disk;
	u64 address = (u64)rq;
	int function = block__function(rq->cmd_flags);

	if (function < 0 || scope__is_over())
		return;
	key.function = function;
	if (!block__owner(&key))
		return;
	ledger = ledger__of(TM_PROBE_BLOCK + key.function);
	if (!ledger)
		return;
	ADD(ledger->hits, 1);
	disk = BPF_CORE_READ(rq, q, disk);
	key.where = (u64)BPF_CORE_READ(disk, major) << 20 | BPF_CORE_READ(disk, first_minor);
	block__heal(address);
	request.slot = series__find(&key);
	series = series__at(request.slot);
	if (!series)
		return ledger__lose(ledger, TM_LOSS_NO_SLOT);
	if (!series->label[0])
		bpf_probe_read_kernel_str(series->label, sizeof(series->label), disk->disk_name);
	request.start_ns = bpf_ktime_get_ns();
	request.function = key.function;
	if (bpf_map_update_elem(&tm_requests, &address, &request, BPF_ANY))
		return ledger__lose(ledger, TM_LOSS_NO_ENTRY);
	ADD(series->in_flight, 1);
}

/* A blk_status_t as errno, as the kernel's own table has them (block/blk-core.c). */
TM_INLINE int block__errno(u8 status)
{
	switch (status) {
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

/* Since 65d7a37d4dfe ("block: add accounting tracepoints", 6.5). */
SEC("tp_btf/block_io_start")
int BPF_PROG(block_start, struct request *rq)
{
	block__start(rq);
	return 0;
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(block_issue, struct request *rq)
{
	struct tm_block_request *request;
	u64 address = (u64)rq;

	request = bpf_map_lookup_elem(&tm_requests, &address);
	/* The flush machinery's own request has no start; it may be issued again. */
	if (!request && (rq->cmd_flags & REQ_OP_MASK) == REQ_OP_FLUSH) {
		block__start(rq);
		request = bpf_map_lookup_elem(&tm_requests, &address);
	}
	if (request && !request->issue_ns)
		request->issue_ns = bpf_ktime_get_ns();
	return 0;
}

/* Two requests became one: the second is gone without a completion. */
SEC("tp_btf/block_rq_merge")
int BPF_PROG(block_merge, struct request *rq)
{
	struct tm_block_request *request;
	struct tm_ledger *ledger;
	u64 address = (u64)rq;

	request = bpf_map_lookup_elem(&tm_requests, &address);
	if (!request || scope__is_over())
		return 0;
	ledger = ledger__of(TM_PROBE_BLOCK + request->function);
	if (ledger)
		ADD(ledger->filtered, 1);
	block__forget(request, address);
	return 0;
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(block_complete, struct request *rq, int error, unsigned int bytes)
{
	struct tm_block_request *request;
	struct tm_ledger *ledger;
	struct tm_series *series;
	u64 address = (u64)rq, now;
	u8 status = error;

	request = bpf_map_lookup_elem(&tm_requests, &address);
	if (!request || scope__is_over())
		return 0;
	if (!status)
		request->bytes += bytes;
	else if (!request->status)
		request->status = status;
	if (bytes < rq->__data_len)
		return 0; /* the rest is still to come */

	ledger = ledger__of(TM_PROBE_BLOCK + request->function);
	series = series__at(request->slot);
	if (!ledger || !series)
		return 0;
	now = bpf_ktime_get_ns();
	if (!request->issue_ns)
		request->issue_ns = request->start_ns; /* never queued: ended before its issue */
	ADD(series->queue_ns, request->issue_ns - request->start_ns);
	series__time(series, request->slot, now - request->issue_ns);
	series__size(series, request->slot, request->bytes);
	if (request->status)
		series__fail(series, block__errno(request->status), false);
	ADD(ledger->recorded, 1);
	block__forget(request, address);
	return 0;
}
