// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of library functions. One program stands where functions begin and serves all of them: its
 * cookie is the index of the probe. Another one stands on the instructions by which they return, so
 * that nothing on the program's stack is replaced. By choice only, a session does both: it has a
 * return probe, and can refuse it.
 *
 * Each call is counted. One that cannot be timed is lost to the times alone, for a reason.
 */
#include "account.bpf.h"
#include "addb.bpf.h"
#include "association.bpf.h"
#include "call_object.bpf.h"
#include "exit.bpf.h"
#include "frame.bpf.h"
#include "handle.bpf.h"
#include "number.bpf.h"
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
	stack->depth = at; /* what follows describes the innermost call */
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
	__builtin_memcpy(frame->times_ns, stack->times_ns, sizeof(frame->times_ns));
	if (session) {
		u64 *cookie = bpf_session_cookie(regs);

		if (cookie)
			*cookie = frame->sequence;
	}
	stack->depth++;
	if (stack->depth < stack->open)
		stack->depth = stack->open;
	ADD(series->begun, 1);
	frame->start_ns = bpf_ktime_get_ns();
	return true;
}

/* Entry of a probed function; says whether a return probe is wanted. */
TM_INLINE bool call__enter(struct pt_regs *regs, bool session)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 attached = bpf_get_attach_cookie(regs);
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
		addb__enter(regs, probe->spec.addb, &key);
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

TM_INLINE void call__record(const struct tm_frame *frame, const struct tm_stack *stack,
			    u64 duration, s64 value, u32 depth)
{
	struct tm_ledger *ledger = ledger__of(TM_PROBE_USER + frame->probe);
	struct tm_probe *probe = bpf_map_lookup_elem(&tm_probes, &frame->probe);
	struct tm_series *series = series__at(frame->slot);
	u64 size = TM_SIZE_ABSENT, spent;
	bool failed, nested = depth >= 2;
	int code;

	if (!ledger || !probe || !series)
		return;
	call__time(series, frame, duration);
	for (int i = 0; i < TM_TIMES; i++) {
		spent = stack->times_ns[i] - frame->times_ns[i];
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

/*
 * Return of a probed function in a session. The frame is found by the session's sequence number.
 * Without a frame (a child that was forked inside the call) there is nothing to count.
 */
TM_INLINE void call__leave(struct pt_regs *regs, u64 sequence)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 now = bpf_ktime_get_ns();
	struct tm_frame *frame = NULL;
	struct tm_stack *stack;
	u32 depth, i;

	stack = thread__find_stack_of(task);
	if (!stack)
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
	call__close(stack, now, regs->ax);
}

/* Of functions that end by a jump to the next, so many return at once. */
#define TM_TAIL_CALLS 4

/*
 * On a `ret` by which a probed function may return, and others too: the stack pointer tells. Or at
 * a place that stands in for one, as the code says. The stack pointer also tells which functions
 * ended before by jumping to this one. On any stack, whatever was done between.
 */
TM_INLINE void call__return(struct pt_regs *regs, u64 code)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct tm_stack *stack;
	struct tm_frame *frame;
	u32 depth, left = TM_TAIL_CALLS;
	bool on_ret = exit__is_on_ret(code);
	u64 now, sp, ip = regs->ip;

	if (!exit__is_taken(regs, code))
		return;
	now = bpf_ktime_get_ns();
	stack = thread__find_stack_of(task);
	if (!stack || !stack->depth)
		return;
	sp = on_ret ? regs->sp : exit__sp(regs, code);
	if (on_ret && exit__is_done(regs, code)) {
		sp -= sizeof(sp);
		ip = 0; /* it is not known any more */
	}
	frame = frame__at(stack, stack->depth - 1);
	if (frame && frame->sp == sp && frame__ends_at(frame, ip))
		depth = stack->depth;
	else
		depth = frame__find_returning(stack, sp, ip);
	if (!depth)
		return;
	/* Kept there: there is little room on the program's stack. */
	stack->sp = sp;
	stack->value = on_ret ? regs->ax : exit__value(regs, code);
	if (depth < stack->depth && !stack->mixed)
		frame__lose_above(stack, depth, TM_LOSS_UNWOUND);
	stack->open = stack->depth;
	stack->depth = depth; /* the innermost one is closed */
	/*
	 * Linux 6.1 refuses a loop whose end falls through to its begin ("back-edge"). clang lays
	 * it out so where it puts loads for the next round at the end.
	 */
	do {
		__asm__ volatile("" ::: "memory"); /* no load before the loop's begin */
		call__close(stack, now, stack->value);
		frame = frame__at(stack, stack->depth);
		if (frame)
			frame->sp = 0; /* a hole, if others are still open above */
		frame = frame__at(stack, stack->depth - 1);
	} while (frame && frame->sp == stack->sp && --left);
	if (!stack->mixed)
		return;
	if (stack->depth < stack->open)
		stack->depth = stack->open; /* holes go with what is above them */
	frame__trim(stack);
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
	return call__enter(ctx, true) ? 0 : 1;
}

SEC("uprobe")
int call_entry(struct pt_regs *ctx)
{
	quirk__keep_task_stack(ctx);
	if (!scope__is_over())
		call__enter(ctx, false);
	return 0;
}

SEC("uprobe")
int call_return(struct pt_regs *ctx)
{
	quirk__keep_task_stack(ctx);
	if (!scope__is_over())
		call__return(ctx, bpf_get_attach_cookie(ctx));
	return 0;
}

#define BREAKPOINT 0xcc
#define ENDBR_SIZE 4

/* ARCH_SHSTK_SHSTK, arch/x86/include/uapi/asm/prctl.h: the processor keeps return addresses, too.
 */
#define SHADOW_STACK 1

/*
 * Does the `ret`, so that the kernel steps nothing; not where something is in the way: there is no
 * breakpoint any more, the return address cannot be read, or a shadow stack would still have it.
 * Nor where another program may have done it already, to an instruction that has a breakpoint, too.
 */
static __attribute__((noinline)) int jump_back(struct pt_regs *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 words[2]; /* below the stack pointer, and at it */
	u8 byte;

	if (bpf_core_field_exists(task->thread.features) && task->thread.features & SHADOW_STACK)
		return 0;
	if (bpf_probe_read_user(&byte, sizeof(byte), (void *)ctx->ip) || byte != BREAKPOINT ||
	    bpf_probe_read_user(words, sizeof(words), (void *)(ctx->sp - sizeof(*words))) ||
	    words[0] == ctx->ip)
		return 0;
	ctx->sp += sizeof(*words);
	ctx->ip = words[1];
	return 0;
}

/*
 * Skips an endbr64, which does nothing where user space has no indirect branch tracking; not where
 * another program has done so already.
 */
static __attribute__((noinline)) int skip_endbr(struct pt_regs *ctx, u64 cookie)
{
	u64 place = cookie >> TM_COOKIE_PLACE_SHIFT & TM_COOKIE_PLACE_MASK;
	u8 byte;

	if ((ctx->ip & TM_COOKIE_PLACE_MASK) == place &&
	    !bpf_probe_read_user(&byte, sizeof(byte), (void *)ctx->ip) && byte == BREAKPOINT)
		ctx->ip += ENDBR_SIZE;
	return 0;
}

/* As call_entry and call_return, on kernels that let a program write registers (7.2). */
SEC("uprobe")
int call_entry_jump(struct pt_regs *ctx)
{
	u64 cookie = bpf_get_attach_cookie(ctx);

	quirk__keep_task_stack(ctx);
	if (!scope__is_over())
		call__enter(ctx, false);
	if (cookie & TM_COOKIE_ENDBR)
		skip_endbr(ctx, cookie);
	return 0;
}

SEC("uprobe")
int call_return_jump(struct pt_regs *ctx)
{
	u64 code = bpf_get_attach_cookie(ctx);

	quirk__keep_task_stack(ctx);
	if (!scope__is_over())
		call__return(ctx, code);
	if (!exit__is_done(ctx, code))
		jump_back(ctx);
	return 0;
}
