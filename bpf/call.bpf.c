// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of library functions. One program serves all functions: its cookie is the index of the
 * probe. A session has a return probe, and can refuse it. Where there are no sessions nothing can
 * be refused, so that no return probe is used: a second program stands on the instructions by
 * which the functions return.
 */
#include "account.bpf.h"
#include "addb.bpf.h"
#include "association.bpf.h"
#include "call_object.bpf.h"
#include "frame.bpf.h"
#include "handle.bpf.h"
#include "operand.bpf.h"
#include "processes.bpf.h"
#include "operation.bpf.h"
#include "pool.bpf.h"
#include "quirks.bpf.h"
#include "recorder.bpf.h"
#include "scope.bpf.h"
#include "thread.bpf.h"

/* As since 7.2; before, they take no argument, and user/kernel/kfuncs.c makes the object fit. */
extern __u64 *bpf_session_cookie(void *ctx) __ksym __weak;

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

/* What is known of the size at entry; what is read at return is remembered in the frame. */
TM_INLINE void call__size_at_entry(const struct pt_regs *regs, const struct tm_size *size,
				   struct tm_frame *frame)
{
	frame->size = TM_SIZE_ABSENT;
	frame->size_at = 0;
	if (size->kind == TM_SIZE_NONE || size->kind == TM_SIZE_RETURN ||
	    size->kind == TM_SIZE_BROUGHT)
		return;
	if (size->kind == TM_SIZE_DELTA || size->kind == TM_SIZE_AFTER) {
		if (operand__is_null(regs, &size->a))
			return;
		frame->size_at = operand__address(regs, &size->a);
	}
	if (size->kind != TM_SIZE_AFTER)
		frame->size = size__at_entry(regs, size);
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

/* A call of a function that gets no return probe is counted, not timed. */
TM_INLINE void call__count_only(struct tm_ledger *ledger, struct tm_key *key, u32 index)
{
	u32 slot = series__find(key);
	struct tm_series *series = series__at(slot);

	if (!series)
		return ledger__lose(ledger, TM_LOSS_NO_SLOT);
	if (series__level(series) == TM_LEVEL_OFF) {
		ADD(ledger->filtered, 1);
		return;
	}
	series__summed(series, TM_SUMMED_UNTIMED);
	ADD(series->count, 1);
	ADD(ledger->recorded, 1);
	if (recorder__records(series))
		RECORDER_PASS(TM_PROBE_USER + index, untimed);
}

/* The slot of a key, by what the thread found last time. */
TM_INLINE u32 call__slot(struct tm_stack *stack, struct tm_key *key)
{
	struct tm_call_slot *cache = &stack->slots[key->function % TM_CALL_SLOTS];
	u64 what = key->function | (u64)key->layer << 32;

	if (cache->what == what && cache->job == key->job && cache->shard == this_shard())
		return cache->slot;
	cache->slot = series__find(key);
	cache->shard = key->shard;
	cache->job = key->job;
	/* Without a slot, the next call asks again. */
	cache->what = cache->slot == TM_NO_SLOT ? 0 : what;
	return cache->slot;
}

/*
 * Opens a frame for a call that is to be timed; cookie: a session's, else NULL. Returns false, with
 * the loss counted, where it cannot be: then no return probe may be armed.
 */
TM_INLINE bool call__open(struct task_struct *task, struct tm_thread *thread, struct pt_regs *regs,
			  u32 index, const struct tm_probe *probe, struct tm_ledger *ledger,
			  struct tm_key *key, u64 **cookie)
{
	struct tm_series *series;
	struct tm_stack *stack;
	struct tm_frame *frame;
	enum tm_loss reason;
	u32 slot;

	stack = thread__get_stack_of(task);
	if (!thread)
		thread = thread__get_of(task);
	if (!stack || !thread) {
		ledger__lose(ledger, TM_LOSS_NO_MEMORY);
		return false;
	}
	thread->followed = scope__lasts();
	reason = frame__prepare(task, stack, regs->sp, index);
	thread->depth = stack->depth;
	frame = frame__at(stack, stack->depth);
	if (reason != TM_LOSSES || !frame) {
		ledger__lose(ledger, reason != TM_LOSSES ? reason : TM_LOSS_TOO_DEEP);
		return false;
	}
	slot = call__slot(stack, key);
	series = series__at(slot);
	if (!series) {
		ledger__lose(ledger, TM_LOSS_NO_SLOT);
		return false;
	}
	if (series__level(series) == TM_LEVEL_OFF) {
		ADD(ledger->filtered, 1);
		return false;
	}
	frame->sp = regs->sp;
	frame->back = cookie ? 0 : frame__word_at(regs->sp);
	frame->slot = slot;
	frame->probe = index;
	frame->children_ns = 0;
	frame->sequence = recorder__records(series) ? recorder__id(thread) : frame__number(stack);
	call__size_at_entry(regs, &probe->spec.size, frame);
	if ((recorder__is_on() && frame__call_id(frame)) || call__has_object(&probe->spec))
		call__describe(regs, stack, &probe->spec.object);
	if (account__is_on())
		account__open(stack, stack->depth, probe->layer);
	if (walk__is_on())
		walk__enter(regs, stack->depth);
	if (handle__concerns(&probe->spec))
		handle__open(regs, stack->depth, index);
	if (probe->spec.role.kind)
		operation__open(regs, stack->depth, index, key, frame->size);
	__builtin_memcpy(frame->times_ns, thread->times_ns, sizeof(frame->times_ns));
	if (cookie)
		**cookie = frame->sequence;
	stack->depth++;
	thread->depth = stack->depth;
	ADD(series->in_flight, 1);
	ADD(ledger->in_flight, 1);
	frame->start_ns = bpf_ktime_get_ns();
	return true;
}

/* Entry of a probed function; says whether a return probe is wanted. */
TM_INLINE bool call__enter(struct pt_regs *regs, u64 *cookie)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 attached = bpf_get_attach_cookie(regs);
	u32 index = attached & ((1 << TM_COOKIE_BITS) - 1);
	struct tm_probe *probe = bpf_map_lookup_elem(&tm_probes, &index);
	struct tm_ledger *ledger = ledger__of(TM_PROBE_USER + index);
	struct tm_thread *thread = thread__find_of(task);
	struct tm_key key = {};

	if (!probe || !ledger ||
	    *(volatile u8 *)&probe->generation != (u8)(attached >> TM_COOKIE_BITS))
		return false;
	ADD(ledger->hits, 1);
	if (!(thread && thread->followed) && !scope__holds_for(task)) {
		ADD(ledger->filtered, 1);
		return false;
	}
	key.job = scope__job_of(task);
	key.process = process__of(thread);
	key.layer = probe->layer;
	key.function = probe->function;
	if (probe->spec.addb)
		addb__enter(regs, probe->spec.addb, &key);
	if (probe->spec.role.kind)
		operation__enter(regs, index, probe->layer);
	if (probe->entry_only) {
		call__count_only(ledger, &key, index);
		if (account__is_on())
			account__count_call(index, 0);
		return false;
	}
	if (scope__is_confined(task)) {
		ledger__lose(ledger, TM_LOSS_CONFINED);
		return false;
	}
	return call__open(task, thread, regs, index, probe, ledger, &key, cookie ? &cookie : NULL);
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
	u64 ids = bpf_get_current_pid_tgid();
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

TM_INLINE void call__record(const struct tm_frame *frame, struct tm_thread *thread, u64 duration,
			    s64 value, u32 depth)
{
	struct tm_ledger *ledger = ledger__of(TM_PROBE_USER + frame->probe);
	struct tm_probe *probe = bpf_map_lookup_elem(&tm_probes, &frame->probe);
	struct tm_series *series = series__at(frame->slot);
	u64 size = TM_SIZE_ABSENT, spent;
	bool failed, nested = depth >= 2;
	int code;

	if (!ledger || !probe || !series)
		return;
	series__time(series, frame->slot, duration);
	ADD(series->self_ns, duration - frame->children_ns);
	for (int i = 0; i < TM_TIMES; i++) {
		spent = thread->times_ns[i] - frame->times_ns[i];
		if (!spent)
			continue;
		ADD(series->times_ns[i], spent);
		if (!nested && i < TM_OUTER_TIMES)
			ADD(series->outer_ns[i], spent);
	}
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
	ADD(series->in_flight, -1ULL);
	ADD(ledger->in_flight, -1ULL);
	ADD(ledger->recorded, 1);
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
TM_INLINE void call__close(struct tm_stack *stack, struct tm_thread *thread, u64 now, s64 value)
{
	u32 depth = stack->depth;
	struct tm_frame *frame = frame__at(stack, depth - 1), *below = frame__at(stack, depth - 2);
	u64 duration;

	if (!frame)
		return;
	duration = now - frame->start_ns;
	if (account__is_on())
		account__count_call(frame->probe, duration ?: 1);
	call__record(frame, thread, duration, value, depth);
	stack->depth = depth - 1;
	thread->depth = stack->depth;
	if (depth >= 2 && below)
		below->children_ns += duration;
}

/*
 * Return of a probed function in a session. The frame is found by the session's sequence number.
 * Without a frame (a child that was forked inside the call) there is nothing to count.
 */
TM_INLINE void call__leave(struct pt_regs *regs, u64 sequence)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 now = bpf_ktime_get_ns();
	struct tm_thread *thread;
	struct tm_frame *frame = NULL;
	struct tm_stack *stack;
	u32 depth, i;

	stack = thread__find_stack_of(task);
	thread = thread__find_of(task);
	if (!stack || !thread)
		return;
	depth = stack->depth;
	for (i = 0; i < TM_FRAMES && depth; i++) {
		frame = frame__at(stack, depth - 1);
		if (!frame)
			return;
		if (frame->sequence == sequence)
			break;
		depth--;
	}
	if (!depth || !frame)
		return;
	if (depth < stack->depth)
		frame__lose_above(stack, depth, TM_LOSS_UNWOUND);
	call__close(stack, thread, now, regs->ax);
}

/* How many calls deep the frame is that an instruction `ret` at sp ends; 0: none. */
TM_INLINE u32 call__find_returning(struct tm_stack *stack, u64 sp)
{
	u32 depth = stack->depth;
	struct tm_frame *frame;

	for (u32 i = 0; i < TM_FRAMES && depth; i++, depth--) {
		frame = frame__at(stack, depth - 1);
		if (!frame || frame->sp > sp) /* those further out are higher still */
			return 0;
		/* A dead frame may have been where another function returns now. */
		if (frame->sp == sp && frame->back == frame__word_at(sp))
			return depth;
	}
	return 0;
}

/* Of functions that end by a jump to the next, so many return at once. */
#define TM_TAIL_CALLS 8

/*
 * On a `ret` by which a probed function may return, and others too: the stack pointer tells. So it
 * does which functions ended before by jumping to this one.
 */
TM_INLINE void call__return(struct pt_regs *regs)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 now = bpf_ktime_get_ns();
	struct tm_thread *thread;
	struct tm_stack *stack;
	struct tm_frame *frame;
	u32 depth;

	stack = thread__find_stack_of(task);
	thread = thread__find_of(task);
	if (!stack || !thread || !stack->depth)
		return;
	depth = call__find_returning(stack, regs->sp);
	if (!depth)
		return;
	if (depth < stack->depth)
		frame__lose_above(stack, depth, TM_LOSS_UNWOUND);
	for (int i = 0; i < TM_TAIL_CALLS; i++) {
		call__close(stack, thread, now, regs->ax);
		frame = frame__at(stack, stack->depth - 1);
		if (!frame || frame->sp != regs->sp)
			break;
	}
}

SEC("uprobe")
int call_session(struct pt_regs *ctx)
{
	u64 *cookie = bpf_session_cookie(ctx);

	quirk__keep_task_stack(ctx);
	if (!cookie || scope__is_over())
		return 1;
	/* The kernel begins a session with a 0 in it (4d756095d399); no frame has that number. */
	if (*cookie) {
		call__leave(ctx, *cookie);
		return 0;
	}
	return call__enter(ctx, cookie) ? 0 : 1;
}

SEC("uprobe")
int call_entry(struct pt_regs *ctx)
{
	quirk__keep_task_stack(ctx);
	if (!scope__is_over())
		call__enter(ctx, NULL);
	return 0;
}

SEC("uprobe")
int call_return(struct pt_regs *ctx)
{
	quirk__keep_task_stack(ctx);
	if (!scope__is_over())
		call__return(ctx);
	return 0;
}
