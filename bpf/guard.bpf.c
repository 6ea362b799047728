// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a traced program does that its open calls must survive.
 *
 * A C++ exception (or pthread_cancel) that passes an open probed call ends the program: the
 * unwinder finds the kernel's trampoline where the return address was, and no unwind information
 * for it. So when an exception is thrown, the return addresses of the thread's open calls are put
 * back first. Those calls are then counted as unwound; the kernel drops its own record of them
 * when the stack pointer has passed them, as after a longjmp.
 */
#include "frame.bpf.h"
#include "quirks.bpf.h"
#include "thread.bpf.h"

/*
 * On _Unwind_RaiseException and its like. What the kernel has armed is looked through, not our own
 * frames: a child forked inside a call has none, and there are other tracers.
 */
SEC("uprobe")
int unwind_begin(struct pt_regs *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct return_instance *armed = task->utask->return_instances;
	struct tm_stack *stack = thread__find_stack();
	u64 trampoline, address, at;

	quirk__keep_task_stack(ctx);
	if (!armed)
		return 0;
	trampoline = frame__trampoline();
	for (u32 i = 0; i < TM_FRAMES && armed; i++) {
		at = armed->stack;
		address = armed->orig_ret_vaddr;
		/* Of a tail call, the outermost has the program's own address. */
		if (address != trampoline && frame__word_at(at) == trampoline)
			bpf_probe_write_user((void *)at, &address, sizeof(address));
		armed = armed->next;
	}
	if (stack && stack->depth)
		frame__lose_above(stack, 0, TM_LOSS_UNWOUND);
	return 0;
}

/*
 * On makecontext(): from now on the process may run code on stacks of its own, and none of its
 * calls is timed, wherever its stack seems to be.
 */
SEC("uprobe")
int stack_switch(struct pt_regs *ctx)
{
	u32 tgid = bpf_get_current_pid_tgid() >> 32;
	u8 yes = 1;

	quirk__keep_task_stack(ctx);
	bpf_map_update_elem(&tm_switchers, &tgid, &yes, BPF_ANY);
	tm_any_switcher = 1;
	return 0;
}
