/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stack of who made a call: return addresses, followed by frame pointers, and of the calls that
 * are open around it those that are known from their entries. Code without frame pointers is thus
 * passed over from one traced call to the next; and where a return probe has taken the place of a
 * return address (the kernel mends that since 6.11, and only in stacks taken at entry), it is the
 * true one. Not the kernel's own walk: it knows none of this.
 */
#ifndef BPF_WALK_BPF_H
#define BPF_WALK_BPF_H

#include "frame.bpf.h"

/* Further apart, two frames are taken for no neighbours: as large as stacks usually are. */
#define WALK_FRAME_MAX (8ULL << 20)

#define WALK_ADDRESS_MIN 0x10000ULL	      /* mmap_min_addr */
#define WALK_ADDRESS_END 0x100000000000000ULL /* of user space, with five levels of page tables */

TM_INLINE bool walk__is_on(void)
{
	return tm_config.stacks;
}

/* Of the current thread; NULL: it has none, or (flag to create) there is no memory for it. */
TM_INLINE struct tm_walker *walk__of(struct task_struct *task, u64 flags)
{
	return bpf_task_storage_get(&tm_walkers, task, NULL, flags);
}

/* The return address at sp; the true one where a return probe has taken its place. */
TM_INLINE u64 walk__back(struct task_struct *task, u64 sp)
{
	u64 back = frame__word_at(sp);

	if (task->utask->return_instances->stack == sp && back == frame__trampoline())
		return task->utask->return_instances->orig_ret_vaddr;
	return back;
}

/* A call is made whose frame has that index. */
static __attribute__((noinline)) int walk__enter(struct pt_regs *regs, u32 index)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct tm_walker *walker = walk__of(task, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!walker || index >= TM_FRAMES)
		return 0;
	TM_PIN(index);
	walker->callers[index & (TM_FRAMES - 1)] = (struct tm_caller){
		.back = walk__back(task, regs->sp),
		.bp = regs->bp,
	};
	return 0;
}

/* A walk under way. */
struct walk {
	struct tm_walker *walker;
	struct tm_stack *stack; /* NULL: no call is open */
	u64 sp;			/* what is below has been looked at */
	u64 bp;
	u32 open; /* calls around what has been looked at */
	u32 n;	  /* values that there are */
	u32 end;  /* there may be so many */
};

/* False where it is none, or there are enough. */
TM_INLINE bool walk__put(struct walk *walk, u64 address)
{
	u32 n = walk->n;

	if (n >= walk->end || n >= TM_STACK_WORDS + TM_STACK_MAX || address < WALK_ADDRESS_MIN ||
	    address >= WALK_ADDRESS_END)
		return false;
	TM_PIN(n);
	walk->walker->out.values[n] = address;
	walk->n = n + 1;
	return true;
}

/* What follows is who made the call of that frame. False: enough. */
TM_INLINE bool walk__put_caller(struct walk *walk, const struct tm_frame *frame, u32 index)
{
	const struct tm_caller *caller = &walk->walker->callers[index & (TM_FRAMES - 1)];

	walk->sp = frame->sp + sizeof(frame->sp);
	walk->bp = caller->bp;
	return walk__put(walk, caller->back);
}

/* The innermost open call that is not passed yet. 1: the walk ends. */
TM_INLINE long walk__leave_call(struct walk *walk, const struct tm_frame *frame, u32 index)
{
	u64 back = walk->walker->callers[index & (TM_FRAMES - 1)].back, word;

	walk->open = index;
	/* It jumped to one that has been passed, or was left by longjmp. */
	if (frame->sp < walk->sp)
		return 0;
	word = frame__word_at(frame->sp);
	if (!back || (word != back && word != frame__trampoline()))
		return 0;
	return !walk__put_caller(walk, frame, index);
}

/* One step outwards. 1: there is none. */
static long walk__step(u32 i, void *context)
{
	struct walk *walk = context;
	u64 bp = walk->bp, at[2]; /* the caller's frame pointer, and the return address */
	struct tm_frame *frame = NULL;
	u32 index = walk->open - 1;
	bool follows;

	follows = bp >= walk->sp && bp - walk->sp < WALK_FRAME_MAX &&
		  !bpf_probe_read_user(at, sizeof(at), (void *)bp);
	if (walk->open && walk->stack && index < TM_FRAMES)
		frame = frame__at(walk->stack, index);
	if (frame && (!follows || bp + sizeof(bp) >= frame->sp))
		return walk__leave_call(walk, frame, index);
	if (!follows || !walk__put(walk, at[1]))
		return 1;
	walk->sp = bp + sizeof(at);
	walk->bp = at[0];
	return 0;
}

/* Begins with the system call that the thread is in. */
TM_INLINE bool walk__begin_in_system(struct walk *walk, struct task_struct *task)
{
	struct pt_regs *regs = (void *)bpf_task_pt_regs(task);

	u64 *words = walk->walker->out.values;

	walk->sp = regs->sp;
	walk->bp = regs->bp;
	walk->n = TM_STACK_WORDS;
	walk->end = TM_STACK_WORDS + TM_STACK_MAX;
	/* What cannot be read becomes 0. */
	bpf_probe_read_user(words, TM_STACK_WORDS * sizeof(*words), (void *)walk->sp);
	return walk__put(walk, regs->ip);
}

/*
 * Begins with who made the innermost open call, which ends now: where its return address was, there
 * is what the trampoline has pushed.
 */
TM_INLINE bool walk__begin_in_call(struct walk *walk)
{
	u32 index = --walk->open;
	struct tm_frame *frame = walk->stack ? frame__at(walk->stack, index) : NULL;

	return frame && walk__put_caller(walk, frame, index);
}

/*
 * Takes the stack of a call that ends now into walker->out; open: how many calls are, around a
 * system call or with the one that ends. How many values there are.
 */
static __attribute__((noinline)) u32 walk__take(struct tm_walker *walker, u32 open, bool in_system)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct walk walk = {
		.walker = walker,
		.stack = bpf_task_storage_get(&tm_stacks, task, NULL, 0),
		.open = open,
		.end = TM_STACK_MAX,
	};

	if (in_system ? walk__begin_in_system(&walk, task) : walk__begin_in_call(&walk))
		bpf_loop(TM_STACK_MAX + TM_FRAMES, walk__step, &walk, 0);
	return walk.n;
}

#endif
