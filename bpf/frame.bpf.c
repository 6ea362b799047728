// SPDX-License-Identifier: GPL-2.0-only
#include "frame.bpf.h"
#include "scope.bpf.h"
#include "thread.bpf.h"

/* A call whose return is not seen is counted, and has no time. */
static __attribute__((noinline)) int lose(struct tm_frame *frame, u32 reason)
{
	/* A copy: up to 6.2 what is in a global function's argument cannot be the key of a map. */
	u32 index = frame->probe;
	struct tm_ledger *ledger = ledger__of(TM_PROBE_USER + index);
	struct tm_probe *probe = bpf_map_lookup_elem(&tm_probes, &index);
	struct tm_series *series = series__at(frame->slot);

	if (series) {
		series__summed(series, TM_SUMMED_UNTIMED);
		ADD(series->count, 1);
		ADD(series->untimed, 1);
	}
	/* While its probe is parked, or those on its exits, a call has most likely returned,
	 * unseen. */
	if (probe && (*(volatile u8 *)&probe->generation & 1 ||
		      *(volatile u8 *)&probe->entry_only == TM_ENTRY_ONLY_FOR_NOW))
		reason = TM_LOSS_PARKED;
	if (ledger)
		ledger__lose(ledger, reason);
	return 0;
}

struct losses {
	struct tm_stack *stack;
	u32 depth, reason;
};

static long lose_top(u32 i, struct losses *losses)
{
	struct tm_stack *stack = losses->stack;
	struct tm_frame *top;

	if (stack->depth <= losses->depth)
		return 1;
	top = frame__at(stack, stack->depth - 1);
	stack->depth--;
	if (top && top->sp)
		lose(top, losses->reason);
	return 0;
}

__attribute__((noinline)) int frame__lose_above(struct tm_stack *stack, u32 depth, u32 reason)
{
	struct losses losses = { .stack = stack, .depth = depth, .reason = reason };

	if (stack)
		bpf_loop(TM_FRAMES, lose_top, &losses, 0);
	return 0;
}

__attribute__((noinline)) int frame__lose_all(u32 reason)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct tm_stack *stack = thread__find_stack_of(task);

	if (!stack)
		return 0;
	if (stack->depth && !scope__is_over())
		frame__lose_above(stack, 0, reason);
	stack->bottom = stack->top = stack->mixed = 0;
	stack->depth = 0;
	return 0;
}

/* Is the return address still there? A return probe of somebody else may have taken its place. */
TM_INLINE bool is_intact(const struct tm_frame *frame)
{
	u64 word = frame__word_at(frame->sp);

	return word == frame->back || (word && word == frame__trampoline());
}

/* Is a new call at the frame's stack pointer a tail call out of it, which leaves it alive? */
static __attribute__((noinline)) bool is_tail_call(struct tm_frame *frame, u32 index)
{
	struct tm_probe *probe;
	u32 from = frame->probe;

	if (!frame->back) /* a session's: the kernel's trampoline is where its return address was */
		return frame__word_at(frame->sp) == frame__trampoline();
	if (from == index || !is_intact(frame))
		return false;
	probe = bpf_map_lookup_elem(&tm_probes, &from);
	return probe && probe->tail_calls;
}

/* What looks at each frame of a thread, from the innermost one out. */
struct look {
	struct tm_stack *stack;
	u64 sp, ip;
	u32 index; /* of the probe of the new call */
	u32 found; /* how many calls deep the frame is that is looked for; 0: none yet */
};

static long drop_if_dead(u32 i, struct look *look)
{
	struct tm_stack *stack = look->stack;
	struct tm_frame *frame = frame__at(stack, i);

	if (i >= stack->depth || !frame)
		return 1;
	if (!frame->sp ||
	    (frame->sp == look->sp ? is_tail_call(frame, look->index) : is_intact(frame)))
		return 0;
	lose(frame, TM_LOSS_UNWOUND);
	frame->sp = 0;
	return 0;
}

static int drop_dead_mixed(struct tm_stack *stack, u64 sp, u32 index)
{
	struct look look = { .stack = stack, .sp = sp, .index = index };

	bpf_loop(TM_FRAMES, drop_if_dead, &look, 0);
	return frame__trim(stack);
}

/* look->found becomes how many calls are left, from the innermost one out. */
static long pass_dead(u32 i, struct look *look)
{
	u32 depth = look->stack->depth - 1 - i;
	struct tm_frame *frame = frame__at(look->stack, depth);

	if (!frame || frame->sp > look->sp)
		return 1;
	if (frame->sp < look->sp || !is_tail_call(frame, look->index))
		look->found = depth;
	return 0;
}

/*
 * On one stack, a frame with a lower stack pointer than a new call is dead. The loop is the
 * kernel's: the verifier would follow one of ours 64 times, half of all that it does for a call.
 */
__attribute__((noinline)) int frame__drop_dead(struct tm_stack *stack, u64 sp, u32 index)
{
	struct look look = { .stack = stack, .sp = sp, .index = index };
	struct tm_frame *frame;

	if (!stack)
		return 0;
	if (stack->mixed)
		return drop_dead_mixed(stack, sp, index);
	frame = frame__at(stack, stack->depth - 1);
	if (!frame || frame->sp > sp)
		return 0;
	look.found = stack->depth;
	bpf_loop(TM_FRAMES, pass_dead, &look, 0);
	return look.found < stack->depth ? frame__lose_above(stack, look.found, TM_LOSS_UNWOUND)
					 : 0;
}

__attribute__((noinline)) int frame__pass(u64 sp, u32 index)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct tm_stack *stack = thread__find_stack_of(task);

	if (stack && stack->depth)
		frame__prepare(task, stack, sp, index);
	return 0;
}

static long find_at(u32 i, struct look *look)
{
	struct tm_stack *stack = look->stack;
	u32 depth = stack->depth - i;
	struct tm_frame *frame = frame__at(stack, depth - 1);

	if (!depth || !frame || (!stack->mixed && frame->sp > look->sp))
		return 1; /* those further out are higher still */
	/* A dead frame may have been where another function returns now. */
	if (frame->sp != look->sp ||
	    !(frame__is_unread(frame) ? frame__ends_at(frame, look->ip) : is_intact(frame)))
		return 0;
	look->found = depth;
	return 1;
}

__attribute__((noinline)) u32 frame__find_returning(struct tm_stack *stack, u64 sp, u64 ip)
{
	struct look look = { .stack = stack, .sp = sp, .ip = ip };

	if (stack)
		bpf_loop(TM_FRAMES, find_at, &look, 0);
	return look.found;
}

static long read_back(u32 i, struct look *look)
{
	struct tm_frame *frame = frame__at(look->stack, i);

	if (i >= look->stack->depth || !frame)
		return 1;
	if (frame__is_unread(frame))
		frame->back = frame__word_at(frame->sp);
	return 0;
}

/* From now on return addresses alone tell which frames are dead. */
__attribute__((noinline)) int frame__mix(struct tm_stack *stack)
{
	struct look look = { .stack = stack };

	if (!stack)
		return 0;
	stack->mixed = 1;
	bpf_loop(TM_FRAMES, read_back, &look, 0);
	return 0;
}

static long trim_top(u32 i, struct look *look)
{
	struct tm_stack *stack = look->stack;
	struct tm_frame *top = frame__at(stack, stack->depth - 1);

	if (!top || top->sp)
		return 1;
	stack->depth--;
	return 0;
}

__attribute__((noinline)) int frame__trim(struct tm_stack *stack)
{
	struct look look = { .stack = stack };

	if (stack)
		bpf_loop(TM_FRAMES, trim_top, &look, 0);
	return 0;
}

static long find_hole(u32 i, struct look *look)
{
	struct tm_frame *frame = frame__at(look->stack, i);

	look->found = i;
	return !frame || !frame->sp;
}

__attribute__((noinline)) u32 frame__hole(struct tm_stack *stack)
{
	struct look look = { .stack = stack };

	if (!stack || bpf_loop(TM_FRAMES, find_hole, &look, 0) < 0)
		return TM_FRAMES;
	/* The last one that was looked at need not be one. */
	if (look.found == TM_FRAMES - 1 && stack->frames[TM_FRAMES - 1].sp)
		return TM_FRAMES;
	return look.found;
}

/* A thread's stack is at least as large: nobody needs to ask how large it is. */
#define TM_THREAD_STACK (64ULL << 10)

static long note_bottom(struct task_struct *task, struct vm_area_struct *vma, u64 *bottom)
{
	*bottom = vma->vm_start;
	return 0;
}

/*
 * Is the address on the stack of a thread that is not its process' first? That is the mapping
 * below the thread pointer, where the C library keeps it. Where it ends is looked up once, which
 * fails while another thread changes the mappings: then there is a next time.
 */
__attribute__((noinline)) bool frame__is_on_thread_stack(struct tm_stack *stack, u64 sp)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 bottom = 0;

	if (!stack)
		return false;
	/* A child that such a thread forked goes on on the copy of its stack, with its pointer. */
	if (task->pid != task->tgid && stack->top != task->thread.fsbase) {
		stack->top = task->thread.fsbase;
		stack->bottom = 0;
	}
	if (!stack->top || sp >= stack->top)
		return false;
	if (stack->top - sp < TM_THREAD_STACK)
		return true;
	if (!stack->bottom) {
		bpf_find_vma(task, stack->top - 1, note_bottom, &bottom, 0);
		stack->bottom = bottom;
	}
	return stack->bottom && sp >= stack->bottom;
}

__attribute__((noinline)) bool frame__may_arm(struct tm_stack *stack, u64 sp)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 armed = task->utask->return_instances->stack;

	return stack && !frame__switches(task) && frame__is_native(task, stack, sp) &&
	       (!armed || frame__is_native(task, stack, armed));
}
