/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recording single block requests: what is known of one is kept from its start on, by its id, and
 * told when it is complete. Without --calls nothing of this is left in the programs.
 */
#ifndef BPF_BLOCK_RECORD_BPF_H
#define BPF_BLOCK_RECORD_BPF_H

#include "block.bpf.h"
#include "number.bpf.h"
#include "recorder.bpf.h"

/* Who starts what starts just now: the current task, and in which operation on files. */
static __attribute__((noinline)) int block_record__ask(struct tm_block_issuer *issuer)
{
	struct tm_thread *thread = thread__find();
	u64 ids = number__current();

	issuer->pid = ids >> 32;
	issuer->tid = ids;
	issuer->parent = 0;
	bpf_get_current_comm(issuer->comm, sizeof(issuer->comm));
	if (thread && thread->syscall.start_ns && thread->syscall.function)
		issuer->parent = recorder__operation_id(thread);
	return 0;
}

TM_INLINE void block_record__note_issuer(struct tm_call_event *event,
					 const struct tm_block_issuer *issuer)
{
	event->call.parent = issuer->parent;
	event->call.pid = issuer->pid;
	event->call.tid = issuer->tid;
	__builtin_memcpy(event->comm, issuer->comm, sizeof(event->comm));
}

/* The request that is known by a key was started before, perhaps by another task. */
TM_INLINE void block_record__issued_by(const struct tm_block_key *key,
				       const struct tm_block_issuer *issuer)
{
	struct tm_block_request *request = bpf_map_lookup_elem(&tm_requests, key);
	u64 id = request ? request->id : 0;
	struct tm_call_event *event = id ? bpf_map_lookup_elem(&tm_started, &id) : NULL;

	if (event)
		block_record__note_issuer(event, issuer);
}

/* A request starts, which has a slot. Its id; 0: it will not be recorded. */
static __attribute__((noinline)) u64 block_record__begin(const struct block_io *io,
							 const struct tm_block_request *request)
{
	static const struct tm_call_event nothing = {};
	struct tm_block_issuer issuer;
	struct tm_call_event *event;
	u64 id = __sync_fetch_and_add(&tm_request_ids, 1) + 1;

	if (bpf_map_update_elem(&tm_started, &id, &nothing, BPF_ANY))
		return 0;
	event = bpf_map_lookup_elem(&tm_started, &id);
	if (!event)
		return 0;
	event->call.id = id;
	event->call.start_ns = request->start_ns;
	event->call.slot = request->slot;
	event->call.flags = TM_CALL_RC | TM_CALL_REQUEST;
	event->call.object[0] = io->sector;
	if (io->by_task) {
		block_record__ask(&issuer);
		block_record__note_issuer(event, &issuer);
	}
	return id;
}

/* The device has it, from that sector on: it may have grown at its front. */
TM_INLINE void block_record__place(u64 id, u64 sector)
{
	struct tm_call_event *event;

	if (!recorder__is_on() || !id)
		return;
	event = bpf_map_lookup_elem(&tm_started, &id);
	if (event)
		event->call.object[0] = sector;
}

/* There is nothing to tell of it. id may be 0. */
TM_INLINE void block_record__drop(u64 id)
{
	if (recorder__is_on() && id)
		bpf_map_delete_elem(&tm_started, &id);
}

TM_INLINE void block_record__tell(struct tm_call_event *event, struct tm_call_fates *fates)
{
	const struct tm_choice *choice = recorder__choice(event->call.slot);
	u64 size = sizeof(*event);

	if (event->call.duration_ns < choice->min_ns)
		ADD(fates->too_short, 1);
	else if (!recorder__samples_all(&tm_requests_seen, choice->sample))
		ADD(fates->sampled_out, 1);
	else if (bpf_ringbuf_output(&tm_calls, event, size, recorder__wakeup(size)))
		recorder__lose(fates, size);
	else
		ADD(fates->recorded, 1);
}

/* A request that was counted is complete. */
static __attribute__((noinline)) int block_record__end(const struct tm_block_request *request,
						       u64 issue_ns, u64 now)
{
	struct tm_call_fates *fates = recorder__fates(TM_PROBE_BLOCK + request->function);
	u64 id = request->id, start_ns = request->start_ns;
	struct tm_call_event *event = bpf_map_lookup_elem(&tm_started, &id);

	if (!fates)
		return 0;
	if (!event) {
		ADD(fates->busy, 1);
		return 0;
	}
	event->call.duration_ns = now > start_ns ? now - start_ns : 0;
	event->call.object[1] = issue_ns > start_ns ? issue_ns - start_ns : 0;
	event->call.rc = -(s64)request->error;
	if (!request->error) {
		event->call.bytes = request->bytes;
		event->call.flags |= TM_CALL_BYTES;
	}
	/* Flushes, and what asks for one without data, are of no place. */
	if (request->function == TM_BLOCK_FLUSH || (!request->bytes && !request->error))
		event->call.object[0] = TM_NO_SECTOR;
	block_record__tell(event, fates);
	bpf_map_delete_elem(&tm_started, &id);
	return 0;
}

#endif
