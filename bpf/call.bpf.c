// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of library functions. One program stands where functions begin and serves all of them: its
 * cookie is the index of the probe. Another one stands on the instructions by which they return, so
 * that nothing on the program's stack is replaced. By choice only, a session does both: it has a
 * return probe, and can refuse it.
 *
 * Each call is counted. One that cannot be timed is lost to the times alone, for a reason.
 */
#include "call_begin.bpf.h"
#include "call_end.bpf.h"
#include "exit.bpf.h"
#include "frame.bpf.h"
#include "quirks.bpf.h"
#include "scope.bpf.h"
#include "thread.bpf.h"

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
	if (on_ret && tm_is_elsewhere(regs->ip, code)) {
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
	return call__enter(ctx, bpf_get_attach_cookie(ctx), true) ? 0 : 1;
}

SEC("uprobe")
int call_entry(struct pt_regs *ctx)
{
	quirk__keep_task_stack(ctx);
	if (!scope__is_over())
		call__enter(ctx, bpf_get_attach_cookie(ctx), false);
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
 * Does the `ret`, so that the kernel steps nothing; not where something is in the way: the return
 * address cannot be read, or a shadow stack would still have it. Nor where another program has done
 * it already: then the word below the stack pointer is where the program is.
 */
static __attribute__((noinline)) int jump_back(struct pt_regs *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 words[2]; /* below the stack pointer, and at it */

	if (bpf_core_field_exists(task->thread.features) && task->thread.features & SHADOW_STACK)
		return 0;
	if (bpf_probe_read_user(words, sizeof(words), (void *)(ctx->sp - sizeof(*words))) ||
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
	u8 byte;

	if (!tm_is_elsewhere(ctx->ip, cookie) &&
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
		call__enter(ctx, cookie, false);
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
	if (!tm_is_elsewhere(ctx->ip, code))
		jump_back(ctx);
	return 0;
}
