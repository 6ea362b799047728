/* SPDX-License-Identifier: GPL-2.0-only */
/* A call of a probed function begins: it is counted, and gets a frame where it is to be timed. */
#ifndef BPF_CALL_BEGIN_BPF_H
#define BPF_CALL_BEGIN_BPF_H

#include "account.bpf.h"
#include "addb.bpf.h"
#include "call_object.bpf.h"
#include "frame.bpf.h"
#include "handle.bpf.h"
#include "operand.bpf.h"
#include "operation.bpf.h"
#include "processes.bpf.h"
#include "recorder.bpf.h"
#include "scope.bpf.h"
#include "thread.bpf.h"
#include "toll.bpf.h"

/* As since 7.2; before, they take no argument, and user/kernel/kfuncs.c makes the object fit. */
extern __u64 *bpf_session_cookie(void *ctx) __ksym __weak;

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

/*
 * Counts a call that is not timed; reason: what its time is lost for, TM_LOSSES where none of the
 * function's calls is timed. Not inlined: several ways lead here.
 */
static __attribute__((noinline)) int call__count_only(struct tm_key *key, u32 index, u32 reason)
{
	struct tm_ledger *ledger = ledger__of(TM_PROBE_USER + index);
	u32 slot = series__find(key);
	struct tm_series *series = series__at(slot);

	if (!ledger)
		return 0;
	if (!series) {
		ledger__lose(ledger, TM_LOSS_NO_SLOT);
		return 0;
	}
	if (series__level(series) == TM_LEVEL_OFF) {
		ADD(ledger->filtered, 1);
		return 0;
	}
	series__summed(series, TM_SUMMED_UNTIMED);
	ADD(series->begun, 1);
	ADD(series->count, 1);
	ADD(series->untimed, 1);
	if (reason < TM_LOSSES) {
		ledger__lose(ledger, reason);
	} else {
		ADD(ledger->recorded, 1);
		if (recorder__records(series))
			RECORDER_PASS(TM_PROBE_USER + index, untimed);
	}
	if (account__is_on())
		account__count_call(index, 0);
	return 0;
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

/* The number that names a frame, which is its call's id where that may be recorded. */
TM_INLINE u64 call__number(struct task_struct *task, struct tm_stack *stack,
			   const struct tm_series *series)
{
	struct tm_thread *thread = recorder__records(series) ? thread__get_of(task) : NULL;

	return thread ? recorder__id(thread) : frame__number(stack);
}

/*
 * Opens a frame for a call that is to be timed. Returns false where it cannot be, with the call
 * counted: then no return probe may be armed.
 */
TM_INLINE bool call__open(struct task_struct *task, struct tm_stack *stack, struct pt_regs *regs,
			  u32 index, const struct tm_probe *probe, struct tm_ledger *ledger,
			  struct tm_key *key, bool session)
{
	struct tm_series *series;
	struct tm_frame *frame;
	u32 slot, at;

	if (!stack)
		stack = thread__get_known_stack_of(task);
	if (!stack)
		return call__count_only(key, index, TM_LOSS_NO_MEMORY);
	stack->followed = scope__lasts();
	if (session && !frame__may_arm(stack, regs->sp))
		return call__count_only(key, index, TM_LOSS_FOREIGN_STACK);
	at = frame__prepare(task, stack, regs->sp, index);
	stack->open = stack->depth;
	frame = frame__at(stack, at);
	if (!frame)
		return call__count_only(key, index, TM_LOSS_TOO_DEEP);
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
	ADD(series->begun, 1); /* before the frame is written: it waits for what is on its way */
	stack->depth = at;     /* what follows describes the innermost call */
	frame->sp = regs->sp;
	frame->back = session ? 0 : frame__mark(stack, probe, regs);
	frame->slot = slot;
	frame->probe = index;
	frame->children_ns = 0;
	frame->sequence = call__number(task, stack, series);
	call__size_at_entry(regs, &probe->spec.size, frame);
	if ((recorder__is_on() && frame__call_id(frame)) || call__has_object(&probe->spec))
		call__describe(regs, stack, &probe->spec.object);
	if (account__is_on()) {
		account__count_call(index, 0);
		account__open(stack, stack->depth, probe->layer);
	}
	if (walk__is_on())
		walk__enter(regs, stack->depth);
	if (handle__concerns(&probe->spec))
		handle__open(regs, stack->depth, index);
	if (probe->spec.role.kind)
		operation__open(regs, stack->depth, index, key, frame->size);
	/* What had this frame before it may have seen the same: no system call has ended since. */
	if (frame->times_ns[TM_TIME_SYSCALL] != stack->times_ns[TM_TIME_SYSCALL])
		__builtin_memcpy(frame->times_ns, stack->times_ns, sizeof(frame->times_ns));
	if (session) {
		u64 *cookie = bpf_session_cookie(regs);

		if (cookie)
			*cookie = frame->sequence;
	}
	stack->depth++;
	if (stack->depth < stack->open)
		stack->depth = stack->open;
	frame->start_ns = bpf_ktime_get_ns();
	return true;
}

/* Entry of a probed function, by the probe's cookie; says whether a return probe is wanted. */
TM_INLINE bool call__enter(struct pt_regs *regs, u64 attached, bool session)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u32 index = attached & ((1 << TM_COOKIE_BITS) - 1);
	struct tm_probe *probe = bpf_map_lookup_elem(&tm_probes, &index);
	struct tm_ledger *ledger = ledger__of(TM_PROBE_USER + index);
	struct tm_stack *stack = thread__find_stack_of(task);
	struct tm_key key = {};
	u8 entry_only;

	if (!probe || !ledger ||
	    *(volatile u8 *)&probe->generation != (u8)(attached >> TM_COOKIE_BITS))
		return false;
	ADD(ledger->hits, 1);
	if (toll__is_on())
		toll__pay_hit(index, *(volatile u32 *)&probe->toll_ns);
	if (stack && !stack->is_known)
		stack = NULL;
	if (!(stack && stack->followed) && !scope__holds_for(task)) {
		ADD(ledger->filtered, 1);
		return false;
	}
	key.job = scope__job();
	if (tm_config.per_process)
		key.process = process__of(thread__find_of(task));
	key.layer = probe->layer;
	key.function = probe->function;
	if (probe->spec.addb)
		addb__enter_measured(regs, probe->spec.addb, &key, *(volatile u64 *)&ledger->hits);
	if (probe->spec.role.kind)
		operation__enter(regs, index, probe->layer);
	entry_only = *(volatile u8 *)&probe->entry_only;
	if (entry_only == TM_ENTRY_ONLY_FOR_NOW && stack && stack->depth)
		frame__pass(regs->sp, index);
	if (entry_only)
		return call__count_only(&key, index, TM_LOSSES);
	if (session && scope__is_confined(task))
		return call__count_only(&key, index, TM_LOSS_CONFINED);
	return call__open(task, stack, regs, index, probe, ledger, &key, session);
}

#endif
