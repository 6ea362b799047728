// SPDX-License-Identifier: GPL-2.0-only
#include "number.bpf.h"
#include "operation.bpf.h"
#include "processes.bpf.h"

/* It is in flight no more, and not because it was complete. */
TM_INLINE void drop(const struct tm_operation *operation, enum tm_operation_loss loss)
{
	struct tm_operation_event *event;
	struct tm_series *series;

	if (operation->state == TM_OPERATION_EXPECTED || operation->state == TM_OPERATION_DONE)
		return;
	series = series__at(operation->slot);
	if (!series)
		return;
	ADD(series->in_flight, -1ULL);
	if (loss < TM_OPERATION_LOSSES)
		ADD(series->operations_lost[loss], 1);
	if (recorder__is_on() && operation->id) {
		event = operation_record__end(operation, bpf_ktime_get_ns(), loss);
		if (event)
			operation_record__put(event);
	}
}

__attribute__((noinline)) int operation__launch(struct operation_event *event)
{
	struct tm_operation fresh = {}, *old;
	struct tm_operation_key key;
	struct tm_series *series;

	if (!event)
		return 0;
	key = event->key; /* up to 6.2 the argument of a global function cannot be a map's key */
	series = series__at(event->slot);
	if (!series)
		return 0;
	old = bpf_map_lookup_elem(&tm_operations, &key);
	/* A launching call inside a launching call: the outer one is what the program made. */
	if (old && old->state == TM_OPERATION_LAUNCHING && old->tid == event->tid)
		return 0;
	if (old && old->state == TM_OPERATION_EXPECTED) {
		fresh.parent = old->parent;
		fresh.parent_launch_ns = old->parent_launch_ns;
		fresh.parent_layer = old->parent_layer;
		fresh.parent_id = old->parent_id;
	} else if (old) {
		drop(old, TM_OPERATION_ABANDONED);
	}
	fresh.launch_ns = event->now;
	fresh.bytes = event->number;
	fresh.slot = event->slot;
	fresh.tid = event->tid;
	fresh.state = TM_OPERATION_LAUNCHING;
	fresh.probe = event->probe;
	fresh.items = event->items;
	fresh.id = recorder__records(series) ? operation_record__id() : 0;
	process__note_submitter(key.tgid);
	if (bpf_map_update_elem(&tm_operations, &key, &fresh, BPF_ANY)) {
		ADD(series->operations_lost[TM_OPERATION_NO_ENTRY], 1);
		return 0;
	}
	ADD(series->in_flight, 1);
	if (fresh.id)
		operation_record__begin(&fresh, key.tgid, event->depth);
	return 1;
}

/* By now it may be complete, and its address used for another one. */
__attribute__((noinline)) int operation__launched(struct operation_event *event)
{
	struct tm_operation *operation;
	struct tm_operation_key key;
	struct tm_series *series;
	u64 id;

	if (!event)
		return 0;
	key = event->key;
	series = series__at(event->slot);
	if (series && !event->failed)
		ADD(series->operation_ns[TM_OPERATION_SUBMIT], event->now - event->number);
	operation = bpf_map_lookup_elem(&tm_operations, &key);
	if (!operation || operation->launch_ns != event->number)
		return 0;
	id = operation->id;
	if (!event->failed) {
		__sync_val_compare_and_swap(&operation->state, TM_OPERATION_LAUNCHING,
					    TM_OPERATION_LAUNCHED);
		if (recorder__is_on() && id)
			operation_record__launched(id, event->now - event->number, key.address);
		return 0;
	}
	if (!bpf_map_delete_elem(&tm_operations, &key) && series)
		ADD(series->in_flight, -1ULL);
	if (recorder__is_on() && id)
		operation_record__cancel(id);
	return 0;
}

/* What it was a step of is complete as far as is known, until another step is announced. */
TM_INLINE void tell_parent(const struct tm_operation *step, u32 tgid, u64 now)
{
	struct tm_operation_key key = { step->parent, tgid, step->parent_layer };
	struct tm_operation *parent;

	if (!step->parent)
		return;
	parent = bpf_map_lookup_elem(&tm_operations, &key);
	if (parent && parent->launch_ns == step->parent_launch_ns)
		parent->done_ns = now;
}

TM_INLINE void count(struct tm_series *series, const struct tm_operation *operation,
		     const struct operation_event *event, u64 done)
{
	series__time(series, operation->slot, done - operation->launch_ns);
	if (event->failed)
		series__fail(series, event->number, false);
	else if (operation->bytes < TM_SIZE_ABSENT)
		series__size(series, operation->slot, operation->bytes);
	if (event->polled) {
		ADD(series->operation_ns[TM_OPERATION_WAIT], operation->wait_ns);
		ADD(series->operation_ns[TM_OPERATION_LATE],
		    operation->late_ns + (event->now - done));
	}
	ADD(series->in_flight, -1ULL);
}

TM_INLINE void record(const struct tm_operation *operation, const struct operation_event *event,
		      u64 done)
{
	struct tm_operation_event *told =
		operation_record__end(operation, done, TM_OPERATION_LOSSES);
	struct tm_call *call;

	if (!told)
		return;
	call = &told->record.call;
	operation_record__read(told, event->key.address);
	if (event->polled)
		told->record.late_ns += event->now - done;
	else
		told->record.wait_ns = told->record.late_ns = 0;
	if (event->has_result) {
		call->rc = event->rc;
		call->flags |= TM_CALL_RC;
	}
	if (operation->bytes < TM_SIZE_ABSENT && !event->failed) {
		call->bytes = operation->bytes;
		call->flags |= TM_CALL_BYTES;
	}
	operation_record__put(told);
}

/* The bytes that its array has by now. Of its own, as the stack is full. */
static __attribute__((noinline)) u64 brought(u32 index, u64 address, u32 items)
{
	struct tm_probe *probe = bpf_map_lookup_elem(&tm_probes, &index);

	return probe ? size__sum(&probe->spec.size, address, items) : TM_SIZE_UNKNOWN;
}

/* It is complete: one alone counts it, whoever else looks at it. */
__attribute__((noinline)) int operation__finish(struct operation_event *event)
{
	struct tm_operation *operation;
	struct tm_operation_key key;
	struct tm_series *series;
	u32 state;
	u64 done;

	if (!event)
		return 0;
	key = event->key;
	operation = bpf_map_lookup_elem(&tm_operations, &key);
	if (!operation)
		return 0;
	state = *(volatile u32 *)&operation->state;
	if (state != TM_OPERATION_LAUNCHING && state != TM_OPERATION_LAUNCHED)
		return 0;
	if (__sync_val_compare_and_swap(&operation->state, state, TM_OPERATION_DONE) != state)
		return 0;
	if (operation->items && !event->failed)
		operation->bytes = brought(operation->probe, operation->bytes, operation->items);
	done = event->polled && operation->done_ns ? operation->done_ns : event->now;
	series = series__at(operation->slot);
	if (series)
		count(series, operation, event, done);
	if (recorder__is_on() && operation->id)
		record(operation, event, done);
	tell_parent(operation, key.tgid, event->now);
	bpf_map_delete_elem(&tm_operations, &key);
	return 0;
}

/* Another operation is going to work for it. */
__attribute__((noinline)) int operation__expect(struct operation_event *event,
						struct tm_operation_key *step)
{
	struct tm_operation expected = { .slot = TM_NO_SLOT }, *operation, *old;
	struct tm_operation_key key, step_key;

	if (!event || !step)
		return 0;
	key = event->key;
	step_key = *step;
	operation = bpf_map_lookup_elem(&tm_operations, &key);
	if (!operation)
		return 0;
	if (operation->done_ns) {
		operation->late_ns += event->now - operation->done_ns;
		operation->done_ns = 0;
	}
	expected.parent = key.address;
	expected.parent_layer = key.layer;
	expected.parent_launch_ns = operation->launch_ns;
	expected.parent_id = operation->id;
	old = bpf_map_lookup_elem(&tm_operations, &step_key);
	if (old)
		drop(old, TM_OPERATION_ABANDONED);
	bpf_map_update_elem(&tm_operations, &step_key, &expected, BPF_ANY);
	return 0;
}

__attribute__((noinline)) int operation__forget(struct operation_event *event)
{
	struct tm_operation *found, operation;
	struct tm_operation_key key;

	if (!event)
		return 0;
	key = event->key;
	found = bpf_map_lookup_elem(&tm_operations, &key);
	if (!found)
		return 0;
	operation = *found;
	if (!bpf_map_delete_elem(&tm_operations, &key))
		drop(&operation, TM_OPERATION_FORGOTTEN);
	return 0;
}

struct operation_poll {
	u64 address, start_ns, now;
	u64 n; /* items; where the kernel inlines bpf_loop() (1ade23711971), it reads 64 bits */
	u32 probe, tgid, layer, pad;
};

/* Does a poll's state of an operation mean that it is complete? */
TM_INLINE bool is_complete(const struct tm_role *role, s32 state)
{
	bool listed = false;

	for (int i = 0; i < TM_ROLE_STATES; i++)
		listed |= i < role->n_states && role->states[i] == state;
	return role->flags & TM_ROLE_PENDING ? !listed : listed;
}

static long look_at(u32 i, struct operation_poll *poll)
{
	struct operation_event event = { .key = { .tgid = poll->tgid, .layer = poll->layer },
					 .now = poll->now,
					 .polled = 1 };
	u32 index = poll->probe;
	struct tm_probe *probe = bpf_map_lookup_elem(&tm_probes, &index);
	struct tm_operation *operation;
	u64 item, state = 0, result = 0, since;
	struct tm_role *role;

	if (!probe)
		return 1;
	role = &probe->spec.role;
	item = poll->address + (u64)i * role->stride;
	event.key.address = item;
	if (role->other.arg && !operand__read_at(item, &role->operation, &event.key.address))
		return 1;
	operation = bpf_map_lookup_elem(&tm_operations, &event.key);
	if (!operation || operation->state == TM_OPERATION_EXPECTED)
		return 0;
	since = operation->launch_ns > poll->start_ns ? operation->launch_ns : poll->start_ns;
	if (poll->now > since)
		__sync_fetch_and_add(&operation->wait_ns, poll->now - since);
	if (role->flags & TM_ROLE_OWN_STATE)
		item = event.key.address;
	if (!operand__read_at(item, &role->state, &state) || !is_complete(role, state))
		return 0;
	event.has_result =
		operand__read_at(event.key.address, &role->result, &result) && role->result.arg;
	event.rc = result;
	event.failed = operation__failed(role, result, &event.number);
	operation__finish(&event);
	return 0;
}

/* It ends. */
__attribute__((noinline)) int operation__leave(struct tm_frame *frame, u32 depth, u64 duration,
					       bool failed)
{
	u32 index, tgid = number__current_tgid();
	struct tm_opening *opening;
	struct tm_probe *probe;
	u64 now;

	if (!frame)
		return 0;
	index = frame->probe;
	now = frame->start_ns + duration;
	probe = bpf_map_lookup_elem(&tm_probes, &index);
	opening = operation__opening(depth, 0);
	if (!probe || !opening || !opening->address)
		return 0;
	if (probe->spec.role.kind == TM_ROLE_LAUNCH) {
		struct operation_event event = {
			.key = { opening->address, tgid, probe->layer },
			.now = now,
			.number = opening->number,
			.slot = opening->slot,
			.failed = failed,
		};

		operation__launched(&event);
	} else if (probe->spec.role.kind == TM_ROLE_POLL) {
		struct operation_poll poll = {
			.address = opening->address,
			.start_ns = frame->start_ns,
			.now = now,
			.n = opening->number < TM_SUM_MAX ? opening->number : TM_SUM_MAX,
			.probe = index,
			.tgid = tgid,
			.layer = probe->layer,
		};

		if ((s64)opening->number > 0)
			bpf_loop(poll.n, look_at, &poll, 0);
	}
	opening->address = 0;
	return 0;
}

static long sweep_one(void *map, struct tm_operation_key *key, struct tm_operation *operation,
		      u32 *tgid)
{
	struct tm_operation copy = *operation;

	if (key->tgid != *tgid)
		return 0;
	if (!bpf_map_delete_elem(map, key))
		drop(&copy, TM_OPERATION_KILLED);
	return 0;
}

__attribute__((noinline)) int operation__sweep(u32 tgid)
{
	bpf_for_each_map_elem(&tm_operations, sweep_one, &tgid, 0);
	return 0;
}
