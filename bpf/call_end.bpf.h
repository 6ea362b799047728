/* SPDX-License-Identifier: GPL-2.0-only */
/* The innermost call of a thread ends: what is known of it is counted. */
#ifndef BPF_CALL_END_BPF_H
#define BPF_CALL_END_BPF_H

#include "account.bpf.h"
#include "addb.bpf.h"
#include "association.bpf.h"
#include "call_object.bpf.h"
#include "frame.bpf.h"
#include "handle.bpf.h"
#include "number.bpf.h"
#include "operand.bpf.h"
#include "operation.bpf.h"
#include "pool.bpf.h"
#include "recorder.bpf.h"
#include "thread.bpf.h"

/* Whether a return value is a failure; *code is its errno or own code, 0 where it has none. */
TM_INLINE bool call__failed(const struct tm_spec *spec, s64 value, int *code)
{
	*code = 0;
	switch (spec->fail) {
	case TM_FAIL_NEGATIVE_ERRNO:
		*code = value < 0 ? -value : 0;
		return value < 0;
	case TM_FAIL_NEGATIVE:
		return value < 0;
	case TM_FAIL_NONZERO:
		*code = value;
		return value != 0;
	case TM_FAIL_NULL:
		return value == 0;
	default:
		return false;
	}
}

TM_INLINE u64 call__size_at_return(const struct tm_size *size, const struct tm_frame *frame,
				   s64 value)
{
	u64 now = 0;

	switch (size->kind) {
	case TM_SIZE_RETURN:
		return value;
	case TM_SIZE_DELTA:
		if (frame->size >= TM_SIZE_ABSENT)
			return frame->size;
		if (!operand__read_memory(frame->size_at, &size->a, &now))
			return TM_SIZE_UNKNOWN;
		return now - frame->size;
	case TM_SIZE_AFTER:
		if (!frame->size_at)
			return TM_SIZE_ABSENT;
		return operand__read_memory(frame->size_at, &size->a, &now) ? now : TM_SIZE_UNKNOWN;
	default:
		return frame->size;
	}
}

/*
 * Records the innermost call of the current thread as a single call, if it is one; a size that is
 * no real one: none. A function of its own, which the verifier looks at once.
 */
__attribute__((noinline)) int call__put(u64 duration, s64 value, u64 size)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct tm_stack *stack = thread__find_stack_of(task);
	struct tm_thread *thread = thread__find_of(task);
	u32 depth = stack ? stack->depth - 1 : 0;
	struct tm_described *described = call__described(depth, 0);
	struct tm_frame *frame = stack ? frame__at(stack, depth) : NULL;
	u64 ids = number__current();
	struct tm_probe *probe;
	struct tm_call *call;
	u32 index;

	if (!frame || !thread || !frame__call_id(frame))
		return 0;
	index = frame->probe;
	probe = bpf_map_lookup_elem(&tm_probes, &index);
	if (!probe)
		return 0;
	call = &thread->event.call;
	__builtin_memset(call, 0, sizeof(*call));
	call->start_ns = frame->start_ns;
	call->duration_ns = duration;
	call->id = frame->sequence;
	call->pid = ids >> 32;
	call->tid = ids;
	call->slot = frame->slot;
	call->depth = depth;
	if (described) {
		call->parent = described->parent;
		call->object[0] = described->object[0];
		call->object[1] = described->object[1];
	}
	if (probe->spec.return_width) {
		call->rc = value;
		call->flags |= TM_CALL_RC;
	}
	if (size < TM_SIZE_ABSENT) {
		call->bytes = size;
		call->flags |= TM_CALL_BYTES;
	}
	call->object_kind = probe->spec.object.kind;
	if (call->object_kind == TM_OBJECT_HANDLE)
		call->object[1] = probe->layer; /* until it has been looked up */
	if (probe->spec.object.big_endian)
		call->flags |= TM_CALL_BIG_ENDIAN;
	return recorder__put(thread, TM_PROBE_USER + index);
}

/* What a call says of an object, of its process or of pools. */
TM_INLINE void call__tell(const struct tm_spec *spec, const struct tm_frame *frame, u32 depth,
			  u64 duration)
{
	if (tm_config.pools && spec->handle.does & TM_HANDLE_POOLS)
		pool__learn(frame->probe, depth);
	else if (!tm_config.handles)
		return;
	else if (spec->handle.does & (TM_HANDLE_JOINS | TM_HANDLE_LEAVES))
		association__call(frame->probe, depth, frame->slot, duration);
	else
		handle__learn(frame->probe, depth, frame->slot, duration);
}

/* Counts a call that took so long: series__spell_out() tells the rest. */
TM_INLINE void call__time(struct tm_series *series, const struct tm_frame *frame, u64 ns)
{
	ADD(series->total_ns, ns);
	atomic__min(&series->min_ns, ns);
	atomic__max(&series->max_ns, ns);
	if (!series__bucket(series, frame->slot, TM_HISTOGRAM_LATENCY, ns))
		ADD(series->count, 1);
	/* On several stacks, calls inside may have been open at the same time. */
	if (frame->children_ns)
		ADD(series->inner_ns, frame->children_ns < ns ? frame->children_ns : ns);
}

/* Where the time of a call went. Nothing has changed where no system call has ended in it. */
TM_INLINE void call__tell_times(struct tm_series *series, const struct tm_frame *frame,
				const struct tm_stack *stack, bool nested)
{
	u64 spent;

	if (stack->times_ns[TM_TIME_SYSCALL] == frame->times_ns[TM_TIME_SYSCALL])
		return;
	for (int i = 0; i < TM_TIMES; i++) {
		spent = stack->times_ns[i] - frame->times_ns[i];
		if (!spent)
			continue;
		ADD(series->times_ns[i], spent);
		if (!nested && i < TM_OUTER_TIMES)
			ADD(series->outer_ns[i], spent);
	}
}

TM_INLINE void call__record(const struct tm_frame *frame, const struct tm_stack *stack,
			    u64 duration, s64 value, u32 depth)
{
	struct tm_ledger *ledger = ledger__of(TM_PROBE_USER + frame->probe);
	struct tm_probe *probe = bpf_map_lookup_elem(&tm_probes, &frame->probe);
	struct tm_series *series = series__at(frame->slot);
	u64 size = TM_SIZE_ABSENT;
	bool failed, nested = depth >= 2;
	int code;

	if (!ledger || !probe || !series)
		return;
	ADD(ledger->recorded, 1);
	call__time(series, frame, duration);
	call__tell_times(series, frame, stack, nested);
	value = operand__extend(value, probe->spec.return_width, probe->spec.return_signed);
	failed = call__failed(&probe->spec, value, &code);
	if (probe->spec.addb)
		addb__leave(frame->sp, probe->spec.addb, frame->slot);
	if (probe->spec.role.kind)
		operation__leave((struct tm_frame *)frame, depth - 1, duration, failed);
	if (handle__concerns(&probe->spec) && !failed)
		call__tell(&probe->spec, frame, depth - 1, duration);
	if (failed) {
		series__fail(series, code, probe->spec.fail != TM_FAIL_NEGATIVE_ERRNO);
	} else if (probe->spec.size.kind != TM_SIZE_NONE) {
		size = call__size_at_return(&probe->spec.size, frame, value);
		if ((s64)size < 0 && size != TM_SIZE_UNKNOWN)
			size = TM_SIZE_ABSENT; /* not a size, whatever the catalogue says */
		if (size == TM_SIZE_UNKNOWN)
			ADD(ledger->unsized, 1);
		else if (size != TM_SIZE_ABSENT)
			series__size(series, frame->slot, size);
	}
	if (nested)
		ADD(ledger->nested, 1);
	if (call__has_object(&probe->spec)) {
		struct operation operation = {
			.job = series->key.job,
			.start_ns = frame->start_ns,
			.ns = duration,
			.bytes = size < TM_SIZE_ABSENT ? size : 0,
			.offset = TM_NO_OFFSET,
			.is_sized = size < TM_SIZE_ABSENT,
			.has_failed = failed,
		};

		call__count_object(frame, &operation);
	}
	if (recorder__is_on())
		call__put(duration, value, size);
	if (tm_config.handles && probe->spec.handle.does && !failed)
		handle__drop(frame->probe, depth - 1);
}

/* The innermost call ends. */
TM_INLINE void call__close(struct tm_stack *stack, u64 now, s64 value)
{
	u32 depth = stack->depth;
	struct tm_frame *frame = frame__at(stack, depth - 1), *below = frame__at(stack, depth - 2);
	u64 duration;

	if (!frame)
		return;
	duration = now - frame->start_ns;
	if (account__is_on())
		account__count_call(frame->probe, duration ?: 1);
	call__record(frame, stack, duration, value, depth);
	stack->depth = depth - 1;
	if (depth >= 2 && below)
		below->children_ns += duration;
}

#endif
