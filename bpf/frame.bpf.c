// SPDX-License-Identifier: GPL-2.0-only
#include "frame.bpf.h"

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
	if (top)
		frame__lose(top, losses->reason);
	stack->depth--;
	return 0;
}

__attribute__((noinline)) int frame__lose_above(struct tm_stack *stack, u32 depth, u32 reason)
{
	struct losses losses = { .stack = stack, .depth = depth, .reason = reason };

	if (stack)
		bpf_loop(TM_FRAMES, lose_top, &losses, 0);
	return 0;
}

/* Is a new call at the frame's stack pointer a tail call out of it, which leaves it alive? */
static __attribute__((noinline)) bool is_tail_call(struct tm_frame *frame, u32 index)
{
	struct tm_probe *probe;
	u32 from = frame->probe;

	if (!frame->back) /* a session's: the kernel's trampoline is where its return address was */
		return frame__word_at(frame->sp) == frame__trampoline();
	if (from == index || frame__word_at(frame->sp) != frame->back)
		return false;
	probe = bpf_map_lookup_elem(&tm_probes, &from);
	return probe && probe->tail_calls;
}

/* On one stack, a frame with a lower stack pointer than a new call is dead. */
__attribute__((noinline)) int frame__drop_dead(struct tm_stack *stack, u64 sp, u32 index)
{
	struct tm_frame *frame;
	u32 depth;

	if (!stack)
		return 0;
	depth = stack->depth;
	for (u32 i = 0; i < TM_FRAMES; i++) {
		frame = frame__at(stack, stack->depth - 1 - i);
		if (!frame || frame->sp > sp)
			break;
		if (frame->sp < sp || !is_tail_call(frame, index))
			depth = stack->depth - 1 - i;
	}
	return depth < stack->depth ? frame__lose_above(stack, depth, TM_LOSS_UNWOUND) : 0;
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
