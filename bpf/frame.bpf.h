/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The calls open in a thread, outermost first. The stack pointer at entry identifies a frame:
 * frames further in have lower ones. A frame that was left without a return (longjmp, an
 * exception) is noticed here, at the next entry or return.
 *
 * The kernel kills a program whose return probe was freed because it looked dead: that happens
 * when a call is probed on a stack that lies above an open one. It also does when a call returns
 * on another thread than it was made. So a return probe is armed on a thread's own stack alone.
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

/* The frame is no longer open, whatever the reason. */
TM_INLINE void frame__close(struct tm_frame *frame, struct tm_ledger *ledger)
{
	struct tm_series *series = series__at(frame->slot);

	if (series)
		ADD(series->in_flight, -1ULL);
	if (ledger)
		ADD(ledger->in_flight, -1ULL);
}

TM_INLINE void frame__lose(struct tm_frame *frame, enum tm_loss reason)
{
	/* A copy: up to 6.2 what is in a global function's argument cannot be the key of a map. */
	u32 index = frame->probe;
	struct tm_ledger *ledger = ledger__of(TM_PROBE_USER + index);
	struct tm_probe *probe = bpf_map_lookup_elem(&tm_probes, &index);

	frame__close(frame, ledger);
	/* While its probe is parked, a call has most likely returned, unseen. */
	if (probe && *(volatile u8 *)&probe->generation & 1)
		reason = TM_LOSS_PARKED;
	if (ledger)
		ledger__lose(ledger, reason);
}

/* Closes every frame from the top down to depth; returns 0. Not inlined: it is rare. */
int frame__lose_above(struct tm_stack *stack, u32 depth, u32 reason);

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
 * Drops what is dead above a new call at stack pointer sp, and says whether a return probe can be
 * armed there (and, without one, whether the frames are in order): TM_LOSSES if so, else the
 * reason. It can where both the call and the innermost return probe that the kernel has armed in
 * this thread, whoever asked for it, are on the thread's own stack: then what the kernel takes for
 * dead is dead. A call on another stack may return on another thread, or after the calls that were
 * made before it.
 */
TM_INLINE enum tm_loss frame__prepare(struct task_struct *task, struct tm_stack *stack, u64 sp,
				      u32 index)
{
	u64 armed = task->utask->return_instances->stack;

	if (frame__switches(task) || !frame__is_native(task, stack, sp) ||
	    (armed && !frame__is_native(task, stack, armed)))
		return TM_LOSS_FOREIGN_STACK;
	if (stack->depth)
		frame__drop_dead(stack, sp, index);
	return stack->depth < TM_FRAMES ? TM_LOSSES : TM_LOSS_TOO_DEEP;
}

#endif
