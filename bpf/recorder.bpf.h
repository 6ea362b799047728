/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recording single calls, through a ring buffer to the loader. Without --calls nothing of this is
 * left in the programs: the verifier drops what depends on tm_config.calls.
 */
#ifndef BPF_RECORDER_BPF_H
#define BPF_RECORDER_BPF_H

#include "frame.bpf.h"
#include "handle.bpf.h"
#include "ring.bpf.h"
#include "thread.bpf.h"
#include "walk.bpf.h"

#include "tmtrace/call.h"

TM_INLINE bool recorder__is_on(void)
{
	return tm_config.calls;
}

/* Are single calls of a series recorded? */
TM_INLINE bool recorder__records(const struct tm_series *series)
{
	return recorder__is_on() && series__level(series) == TM_LEVEL_CALLS;
}

/* Which single calls of the series of a slot are wanted. */
TM_INLINE struct tm_choice *recorder__choice(u32 slot)
{
	struct tm_series *series = series__at(slot);
	u32 index = series ? TM_DETAIL_CHOICE(series->detail) : 0;

	TM_PIN(index);
	return &tm_choices[index & (TM_CHOICES - 1)];
}

/* What became of the calls of a probe. */
TM_INLINE struct tm_call_fates *recorder__fates(u32 probe)
{
	u32 index = probe * tm_config.shards + this_shard();
	struct tm_call_ledger *ledger = bpf_map_lookup_elem(&tm_call_ledgers, &index);

	return ledger ? &ledger->calls : NULL;
}

/* The id of the thread's next call. */
TM_INLINE u64 recorder__id(struct tm_thread *thread)
{
	if (!thread->last_call)
		thread->last_call = (__sync_fetch_and_add(&tm_call_threads, 1) + 1) << TM_CALL_BITS;
	return ++thread->last_call;
}

/* That of the operation on files that the thread's system call is; also of what it starts. */
TM_INLINE u64 recorder__operation_id(struct tm_thread *thread)
{
	if (!thread->syscall.id)
		thread->syscall.id = recorder__id(thread);
	return thread->syscall.id;
}

/* Counts a call that never comes to recorder__put(); reason: a member of the fates. */
#define RECORDER_PASS(probe, reason)                                      \
	do {                                                              \
		struct tm_call_fates *fates_of_ = recorder__fates(probe); \
		if (fates_of_)                                            \
			ADD(fates_of_->reason, 1);                        \
	} while (0)

/* One of every N in a row; chance says which, so that what repeats itself does not always miss. */
TM_INLINE bool recorder__samples(struct tm_thread *thread, u32 n)
{
	if (n <= 1)
		return true;
	/* N may have changed meanwhile. */
	if (!thread->sample_left || thread->sample_left > n) {
		thread->sample_left = n;
		thread->sample_pick = bpf_get_prandom_u32() % n;
	}
	return --thread->sample_left == thread->sample_pick;
}

TM_INLINE u64 recorder__wakeup(u64 size)
{
	return ring__wakeup(&tm_calls, tm_config.call_wakeup, size);
}

TM_INLINE void recorder__lose(struct tm_call_fates *fates, u64 size)
{
	if (ring__is_full(&tm_calls, size))
		ADD(fates->full, 1);
	else
		ADD(fates->busy, 1);
}

/* Where the name of an object is while its call is recorded; NULL: there is no memory for it. */
TM_INLINE struct tm_naming *recorder__naming(void)
{
	struct tm_descriptions *all =
		bpf_task_storage_get(&tm_described, bpf_get_current_task_btf(), NULL, 0);

	return all ? &all->naming : NULL;
}

/*
 * Looks for the name of a call's object, if it may have one. An object known by a handle becomes a
 * string, or where it has no name a number.
 */
static __attribute__((noinline)) int recorder__find_name(struct tm_call *call)
{
	u32 kind = call->object_kind, layer = call->object[1];
	struct tm_naming *naming = recorder__naming();
	int rc = -1;

	if (kind != TM_OBJECT_STRING && kind != TM_OBJECT_HANDLE)
		return 0;
	if (naming)
		rc = handle__name(naming, kind, layer, call->object[0]);
	call->object[1] = 0;
	if (kind == TM_OBJECT_HANDLE)
		call->object_kind = rc ? TM_OBJECT_VALUE : TM_OBJECT_STRING;
	return 0;
}

/* The name that was found; none: empty. */
TM_INLINE void recorder__put_name(struct tm_call_named *named)
{
	struct tm_naming *naming = recorder__naming();

	named->name[0] = 0;
	if (naming)
		__builtin_memcpy(named->name, &naming->name, sizeof(named->name));
}

/* With a string as its object. */
static __attribute__((noinline)) int recorder__put_named(const struct tm_call_event *event)
{
	struct tm_call_named *named = bpf_ringbuf_reserve(&tm_calls, sizeof(*named), 0);

	if (!named)
		return -1;
	named->event = *event;
	recorder__put_name(named);
	bpf_ringbuf_submit(named, recorder__wakeup(sizeof(*named)));
	return 0;
}

/* A call that is recorded has no stack. */
TM_INLINE struct tm_walker *recorder__stackless(enum tm_stackless reason)
{
	ADD(tm_stackless[reason], 1);
	return NULL;
}

/* What takes the stack of the current thread; NULL: there is none, and that is counted. */
TM_INLINE struct tm_walker *recorder__walker(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct tm_walker *walker = walk__of(task, BPF_LOCAL_STORAGE_GET_F_CREATE);

	return walker ? walker : recorder__stackless(TM_STACKLESS_MEMORY);
}

/* With its stack, and the string that is its object, if it is one. */
static __attribute__((noinline)) int recorder__put_stacked(const struct tm_call_event *event,
							   struct tm_walker *walker, bool in_system,
							   u64 *size)
{
	const struct tm_call *call = &event->call;
	struct tm_call_stacked *out = &walker->out;
	u32 n = walk__take(walker, call->depth + !in_system, in_system);

	if (n > TM_STACK_WORDS + TM_STACK_MAX)
		n = TM_STACK_WORDS + TM_STACK_MAX;
	TM_PIN(n);
	out->named.event = *event;
	out->named.name[0] = 0;
	if (call->object_kind == TM_OBJECT_STRING)
		recorder__put_name(&out->named);
	*size = sizeof(out->named) + n * sizeof(*out->values);
	return bpf_ringbuf_output(&tm_calls, out, *size, recorder__wakeup(*size));
}

/* The same of what ends wherever it does: of all of it in a row, which a hash says. */
TM_INLINE bool recorder__samples_all(u64 *seen, u64 n)
{
	u64 at;

	if (n <= 1)
		return true;
	at = __sync_fetch_and_add(seen, 1);
	return at % n ==
	       (at / n * 0x9e3779b97f4a7c15ULL >> 32) % n; /* Knuth's multiplicative hash */
}

/* Is a call of that slot that took so long to be recorded? thread is the current one's state. */
TM_INLINE bool recorder__wants(struct tm_call_fates *fates, struct tm_thread *thread, u32 slot,
			       u64 duration_ns)
{
	const struct tm_choice *choice = recorder__choice(slot);

	if (duration_ns < choice->min_ns) {
		ADD(fates->too_short, 1);
		return false;
	}
	if (!recorder__samples(thread, choice->sample)) {
		ADD(fates->sampled_out, 1);
		return false;
	}
	return true;
}

/* Records a call of the current thread that a probe has counted: thread->event. */
static __attribute__((noinline)) int recorder__put(struct tm_thread *thread, u32 probe)
{
	struct tm_call_fates *fates = recorder__fates(probe);
	struct tm_call_event *event = &thread->event;
	struct tm_walker *walker = NULL;
	u64 size = sizeof(*event);
	int rc;

	if (!fates || !recorder__wants(fates, thread, event->call.slot, event->call.duration_ns))
		return 0;
	bpf_get_current_comm(event->comm, sizeof(event->comm));
	recorder__find_name(&event->call);
	if (walk__is_on())
		walker = recorder__walker();
	if (walker) {
		rc = recorder__put_stacked(event, walker, probe < TM_PROBE_USER, &size);
	} else if (event->call.object_kind == TM_OBJECT_STRING) {
		size = sizeof(struct tm_call_named);
		rc = recorder__put_named(event);
	} else {
		rc = bpf_ringbuf_output(&tm_calls, event, size, recorder__wakeup(size));
	}
	if (rc)
		recorder__lose(fates, size);
	else
		ADD(fates->recorded, 1);
	return 0;
}

/* Of an operation on files, dead frames that are looked through for the call around it. */
#define RECORDER_DEAD 8

/*
 * The innermost call that is open around a system call of the current thread, and in *depth how
 * many there are: one whose frame lies below the program's stack pointer was left by longjmp, and
 * nobody has noticed yet.
 */
static __attribute__((noinline)) u64 recorder__around(struct tm_stack *stack, u32 *depth)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs = (void *)bpf_task_pt_regs(task);
	struct tm_frame *frame;
	u32 open = stack->depth;
	u64 sp = regs->sp;

	/* A signal handler's own stack says nothing about the calls that it interrupted. */
	if (frame__is_on_signal_stack(task, sp))
		sp = 0;
	for (int i = 0; i < RECORDER_DEAD && open; i++) {
		frame = frame__at(stack, open - 1);
		if (!frame)
			break;
		if (frame->sp >= sp) {
			*depth = open;
			return frame__call_id(frame);
		}
		open--;
	}
	return 0;
}

#endif
