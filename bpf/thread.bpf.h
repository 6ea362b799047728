/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BPF_THREAD_BPF_H
#define BPF_THREAD_BPF_H

#include "maps.bpf.h"

/*
 * The state of the current thread, which is task; NULL where it has none, or (get) there is no
 * memory for it. Every call of a helper is dear: ask for the task once.
 */
TM_INLINE struct tm_thread *thread__find_of(struct task_struct *task)
{
	return bpf_task_storage_get(&tm_threads, task, NULL, 0);
}

TM_INLINE struct tm_thread *thread__get_of(struct task_struct *task)
{
	return bpf_task_storage_get(&tm_threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

TM_INLINE struct tm_stack *thread__find_stack_of(struct task_struct *task)
{
	return bpf_task_storage_get(&tm_stacks, task, NULL, 0);
}

TM_INLINE struct tm_stack *thread__get_stack_of(struct task_struct *task)
{
	return bpf_task_storage_get(&tm_stacks, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

/* Is the current thread, whose state that is, inside a call of a library? */
TM_INLINE bool thread__is_in_call(struct tm_thread *thread)
{
	struct tm_stack *stack;

	if (!thread->has_stack)
		return false;
	stack = thread__find_stack_of(bpf_get_current_task_btf());
	return stack && stack->depth;
}

/* Its times have changed: calls take them from the stack. */
TM_INLINE void thread__show_times(struct tm_thread *thread)
{
	struct tm_stack *stack;

	if (!thread->has_stack)
		return;
	stack = thread__find_stack_of(bpf_get_current_task_btf());
	if (stack)
		__builtin_memcpy(stack->times_ns, thread->times_ns, sizeof(stack->times_ns));
}

/*
 * The current thread's stack, for a call that is to be timed; NULL: no memory. From its first one
 * on the thread's state knows of it.
 */
TM_INLINE struct tm_stack *thread__get_known_stack_of(struct task_struct *task)
{
	struct tm_stack *stack = thread__get_stack_of(task);
	struct tm_thread *thread;

	if (!stack || stack->is_known)
		return stack;
	thread = thread__get_of(task);
	if (!thread)
		return NULL;
	thread->has_stack = 1;
	stack->is_known = 1;
	thread__show_times(thread);
	return stack;
}

TM_INLINE struct tm_thread *thread__find(void)
{
	return thread__find_of(bpf_get_current_task_btf());
}

TM_INLINE struct tm_thread *thread__get(void)
{
	return thread__get_of(bpf_get_current_task_btf());
}

TM_INLINE struct tm_stack *thread__find_stack(void)
{
	return thread__find_stack_of(bpf_get_current_task_btf());
}

#endif
