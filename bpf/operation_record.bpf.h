/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recording single operations: what is known of one is kept from its launch on, by its id, and told
 * when it ends. Without --calls nothing of this is left in the programs.
 */
#ifndef BPF_OPERATION_RECORD_BPF_H
#define BPF_OPERATION_RECORD_BPF_H

#include "call_object.bpf.h"
#include "recorder.bpf.h"
#include "series.bpf.h"

/* What became of the operations that a probe launched. */
TM_INLINE struct tm_call_fates *operation_record__fates(u32 probe)
{
	u32 index = (TM_PROBE_USER + probe) * tm_config.shards + this_shard();
	struct tm_call_ledger *ledger = bpf_map_lookup_elem(&tm_call_ledgers, &index);

	return ledger ? &ledger->operations : NULL;
}

/* The id of an operation that the current thread launches; 0: it is not recorded. */
TM_INLINE u64 operation_record__id(void)
{
	struct tm_thread *thread = recorder__is_on() ? thread__find() : NULL;

	return thread ? recorder__id(thread) : 0;
}

/* What it is about is what the call is about that launches it; a name would be gone at its end. */
TM_INLINE void operation_record__describe(struct tm_call *call, const struct tm_object_spec *object,
					  u32 depth)
{
	struct tm_described *described = call__described(depth, 0);

	if (!described || object->kind == TM_OBJECT_STRING)
		return;
	call->object_kind = object->kind;
	call->object[0] = described->object[0];
	call->object[1] = described->object[1];
	if (object->big_endian)
		call->flags |= TM_CALL_BIG_ENDIAN;
}

/* Is there the number that a path leads to? A pointer that is NULL leads to none. */
TM_INLINE bool operation_record__follow(u64 address, const struct tm_path *path, u64 *value,
					bool *misfits)
{
	if (!path->at.arg)
		return false;
	if (path->pointer.arg) {
		if (!operand__read_at(address, &path->pointer, &address))
			*misfits = true;
		else if (address)
			*misfits = !operand__read_at(address, &path->at, value);
		return !*misfits && address;
	}
	*misfits = !operand__read_at(address, &path->at, value);
	return !*misfits;
}

TM_INLINE void operation_record__read_object(struct tm_operation_record *record, u64 address,
					     const struct tm_fields *fields)
{
	struct tm_call *call = &record->call;
	bool misfits = false;
	u64 at = 0;

	if (operation_record__follow(address, &fields->paths[TM_FIELD_OBJECT], &at, &misfits)) {
		if (fields->object_kind == TM_OBJECT_U128) {
			misfits = bpf_probe_read_user(call->object, sizeof(call->object),
						      (void *)at) != 0;
		} else {
			call->object[0] = at;
			call->object[1] = 0;
		}
	}
	if (misfits)
		record->misfits |= 1 << TM_FIELD_OBJECT;
	call->object_kind = at && !misfits ? fields->object_kind : TM_OBJECT_NONE;
	if (fields->big_endian)
		call->flags |= TM_CALL_BIG_ENDIAN;
	else
		call->flags &= ~TM_CALL_BIG_ENDIAN;
}

/*
 * What the library's struct at this address says of it: where it is complete before its launching
 * call returns, whoever comes first, or both, with the same result.
 */
static __attribute__((noinline)) int operation_record__read(struct tm_operation_event *event,
							    u64 address)
{
	struct tm_operation_record *record = &event->record;
	u32 index = record->probe;
	struct tm_probe *probe = bpf_map_lookup_elem(&tm_probes, &index);
	const struct tm_fields *fields;

	if (!probe || !address || record->is_read)
		return 0;
	index = probe->spec.role.fields - 1;
	if (index >= TM_FIELDS_MAX)
		return 0;
	TM_PIN(index);
	fields = &tm_fields[index & (TM_FIELDS_MAX - 1)];
	for (int i = 0; i < TM_FIELD_OBJECT; i++) {
		bool misfits = false;

		if (operation_record__follow(address, &fields->paths[i], &record->fields[i],
					     &misfits))
			record->known |= 1 << i;
		if (misfits)
			record->misfits |= 1 << i;
	}
	if (fields->paths[TM_FIELD_OBJECT].at.arg)
		operation_record__read_object(record, address, fields);
	record->is_read = 1; /* last: another thread may be about to tell of it */
	return 0;
}

/* It is in the table of operations, and the call at index depth in its thread will launch it. */
static __attribute__((noinline)) int operation_record__begin(const struct tm_operation *operation,
							     u32 tgid, u32 depth)
{
	struct tm_openings *openings =
		bpf_task_storage_get(&tm_openings, bpf_get_current_task_btf(), NULL, 0);
	struct tm_stack *stack = thread__find_stack();
	struct tm_frame *frame = stack ? frame__at(stack, depth) : NULL;
	u32 index = operation->probe;
	struct tm_probe *probe = bpf_map_lookup_elem(&tm_probes, &index);
	struct tm_operation_record *record;
	u64 id = operation->id;

	if (!openings || !frame || !probe || !id)
		return 0;
	record = &openings->event.record;
	__builtin_memset(record, 0, sizeof(*record));
	record->call.id = id;
	record->call.start_ns = operation->launch_ns;
	record->call.parent = operation->parent_id ? operation->parent_id : frame__call_id(frame);
	record->call.pid = tgid;
	record->call.tid = operation->tid;
	record->call.slot = operation->slot;
	record->call.depth = depth;
	record->call.flags = TM_CALL_OPERATION;
	record->call_id = frame__call_id(frame);
	record->probe = index;
	operation_record__describe(&record->call, &probe->spec.object, depth);
	bpf_get_current_comm(openings->event.comm, sizeof(openings->event.comm));
	bpf_map_update_elem(&tm_launched, &id, &openings->event, BPF_ANY);
	return 0;
}

/* The call that launched it returned, after ns, and did not fail; address: of its struct. */
TM_INLINE void operation_record__launched(u64 id, u64 ns, u64 address)
{
	struct tm_operation_event *event = bpf_map_lookup_elem(&tm_launched, &id);

	if (!event)
		return;
	operation_record__read(event, address);
	event->record.submit_ns = ns;
	event->record.known |= TM_OPERATION_SUBMITTED;
}

/* It was not launched. */
TM_INLINE void operation_record__cancel(u64 id)
{
	bpf_map_delete_elem(&tm_launched, &id);
}

/* It has ended, at CLOCK_MONOTONIC: by a completion (TM_OPERATION_LOSSES), or it was lost. */
TM_INLINE struct tm_operation_event *operation_record__end(const struct tm_operation *operation,
							   u64 ns, u32 loss)
{
	u64 id = operation->id;
	struct tm_operation_event *event = bpf_map_lookup_elem(&tm_launched, &id);
	struct tm_call_fates *fates;

	if (event) {
		event->record.call.duration_ns = ns - operation->launch_ns;
		event->record.wait_ns = operation->wait_ns;
		event->record.late_ns = operation->late_ns;
		event->record.loss = loss;
		return event;
	}
	fates = operation_record__fates(operation->probe);
	if (fates)
		ADD(fates->busy, 1);
	return NULL;
}

TM_INLINE void operation_record__tell(struct tm_operation_event *event)
{
	struct tm_call_fates *fates = operation_record__fates(event->record.probe);
	struct tm_thread *thread = thread__get();
	u64 size = sizeof(*event);

	if (!fates)
		return;
	if (!thread)
		ADD(fates->busy, 1);
	else if (!recorder__wants(fates, thread, event->record.call.slot,
				  event->record.call.duration_ns))
		return;
	else if (bpf_ringbuf_output(&tm_calls, event, size, recorder__wakeup(size)))
		recorder__lose(fates, size);
	else
		ADD(fates->recorded, 1);
}

/* Tells of one that has ended, as it is known by now, and forgets it. */
static __attribute__((noinline)) int operation_record__put(struct tm_operation_event *event)
{
	u64 id = event->record.call.id;

	operation_record__tell(event);
	bpf_map_delete_elem(&tm_launched, &id);
	return 0;
}

#endif
