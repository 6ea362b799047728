/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The calls that are open in a thread, in the order in which they began. The stack pointer at entry
 * identifies a frame, together with the return address there, or with the function to which the
 * returning instruction belongs (frame__is_unread()).
 *
 * While a thread stays on the stack that it was started with, frames further in have lower stack
 * pointers: one that was left without a return (longjmp, an exception) is noticed at the next entry
 * or return. A thread that was seen on another stack (a coroutine's, a signal handler's) is
 * "mixed": there the order of stack pointers says nothing, a frame is dead only once its return
 * address is gone, and one that ends between others leaves a hole, whose stack pointer is 0.
 */
#ifndef BPF_FRAME_BPF_H
#define BPF_FRAME_BPF_H

#include "series.bpf.h"

/* Where the kernel sends returns of probed calls: the word at an armed frame's stack pointer. */
TM_INLINE u64 frame__trampoline(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	return BPF_CORE_READ(task, mm, uprobes_state.xol_area, vaddr);
}

TM_INLINE u64 frame__word_at(u64 address)
{
	u64 word = 0;

	bpf_probe_read_user(&word, sizeof(word), (void *)address);
	return word;
}

TM_INLINE struct tm_frame *frame__at(struct tm_stack *stack, u32 depth)
{
	return TM_OF_FRAME(stack->frames, depth);
}

/*
 * To read the program's memory is what costs most in a call. On the thread's own stack it is not
 * needed where a function returns by its own code alone: a stack pointer and an instruction of that
 * function together are that call's. In place of the return address the frame then has where these
 * instructions begin, 47 bits as addresses of programs have, how far they go, 15 bits, and the
 * highest bit.
 */
#define TM_UNREAD	(1ULL << 63)
#define TM_ADDRESS_BITS 47

TM_INLINE bool frame__is_unread(const struct tm_frame *frame)
{
	return frame->back & TM_UNREAD;
}

/* What tells a frame, opened for a call of a probe, from others at the same stack pointer. */
TM_INLINE u64 frame__mark(const struct tm_stack *stack, const struct tm_probe *probe,
			  const struct pt_regs *regs)
{
	u64 span = probe->own_span;

	if (!span || stack->mixed || regs->ip >> TM_ADDRESS_BITS)
		return frame__word_at(regs->sp);
	return TM_UNREAD | span << TM_ADDRESS_BITS | regs->ip;
}

/* Is the frame left by an instruction at ip (0: not known), where its stack pointer is? */
TM_INLINE bool frame__ends_at(const struct tm_frame *frame, u64 ip)
{
	u64 begin = frame->back & ((1ULL << TM_ADDRESS_BITS) - 1);

	if (!frame__is_unread(frame))
		return frame->back == frame__word_at(frame->sp);
	return !ip || ip - begin < (frame->back & ~TM_UNREAD) >> TM_ADDRESS_BITS;
}

/* What a frame has as its sequence that is not recorded: never 0, and smaller than any call's id.
 */
TM_INLINE u64 frame__number(struct tm_stack *stack)
{
	return (stack->sequence++ & ((1ULL << (TM_CALL_BITS - 1)) - 1)) + 1;
}

/* The id of an open call that may be recorded, else 0. */
TM_INLINE u64 frame__call_id(const struct tm_frame *frame)
{
	return frame->sequence >> TM_CALL_BITS ? frame->sequence : 0;
}

/*
 * Closes every frame from the top down to depth: their calls are counted, but not timed, for that
 * reason; returns 0. Of the current thread. Not inlined: it is rare.
 */
int frame__lose_above(struct tm_stack *stack, u32 depth, u32 reason);

/* The current thread ends, or begins another program: all its calls are closed so; returns 0. */
int frame__lose_all(u32 reason);

/* mmap keeps at least this far away from the main thread's stack (MIN_GAP, arch/x86/mm/mmap.c). */
#define TM_MAIN_STACK (128ULL << 20)

/* Not inlined: rare but in threads. */
bool frame__is_on_thread_stack(struct tm_stack *stack, u64 sp);

/* Is this address on the stack that the thread has set aside for signal handlers? */
TM_INLINE bool frame__is_on_signal_stack(struct task_struct *task, u64 sp)
{
	return task->sas_ss_size && sp - task->sas_ss_sp <= task->sas_ss_size;
}

/*
 * Is this address on the stack that the thread was started with? The main thread's ends where the
 * kernel put its arguments.
 */
TM_INLINE bool frame__is_native(struct task_struct *task, struct tm_stack *stack, u64 sp)
{
	if (frame__is_on_signal_stack(task, sp))
		return false;
	if (task->mm->start_stack - sp < TM_MAIN_STACK)
		return true;
	return frame__is_on_thread_stack(stack, sp);
}

/* Drops the frames that a new call at sp, by that probe, shows to be dead. Not inlined: rare. */
int frame__drop_dead(struct tm_stack *stack, u64 sp, u32 index);

/* Does the process make stacks of its own? They may lie close below a thread's. */
TM_INLINE bool frame__switches(struct task_struct *task)
{
	u32 tgid = task->tgid;

	return *(volatile u32 *)&tm_any_switcher &&
	       bpf_map_lookup_elem(&tm_switchers, &tgid) != NULL;
}

/*
 * How many calls deep the frame is that is ended by the instruction at ip, with the stack pointer
 * sp at its `ret`; 0: none. Not inlined: the innermost one is looked at first (call__return()).
 */
u32 frame__find_returning(struct tm_stack *stack, u64 sp, u64 ip);

/* The thread turns out to use other stacks, too. Not inlined: once. */
int frame__mix(struct tm_stack *stack);

/* The innermost frames may be holes: they go. Not inlined: only where stacks are mixed. */
int frame__trim(struct tm_stack *stack);

/* The index of a hole; TM_FRAMES: there is none. Not inlined: only where stacks are mixed. */
u32 frame__hole(struct tm_stack *stack);

/*
 * Drops what is dead of the thread's frames before a new call at stack pointer sp, and returns the
 * index for its frame; TM_FRAMES: there is no room.
 */
TM_INLINE u32 frame__prepare(struct task_struct *task, struct tm_stack *stack, u64 sp, u32 index)
{
	if (!stack->mixed && (frame__switches(task) || !frame__is_native(task, stack, sp)))
		frame__mix(stack);
	if (stack->depth)
		frame__drop_dead(stack, sp, index);
	if (stack->depth >= TM_FRAMES && stack->mixed)
		return frame__hole(stack);
	return stack->depth;
}

/*
 * A call at stack pointer sp, by that probe, gets no frame: drops what it shows to be dead, so that
 * its return is not taken for that of an earlier call which returned unseen; returns 0. Of the
 * current thread. Not inlined: it is rare.
 */
int frame__pass(u64 sp, u32 index);

/*
 * Can a return probe be armed for a call at stack pointer sp? It can where both the call and the
 * innermost return probe that the kernel has armed in this thread, whoever asked for it, are on the
 * thread's own stack: then what the kernel takes for dead is dead. A call on another stack may
 * return on another thread, or after the calls that were made before it. This does not cover every
 * program: see docs/safety.md. Not inlined: only sessions have return probes.
 */
bool frame__may_arm(struct tm_stack *stack, u64 sp);

#endif
