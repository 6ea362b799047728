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
