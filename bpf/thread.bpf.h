/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BPF_THREAD_BPF_H
#define BPF_THREAD_BPF_H

#include "maps.bpf.h"

/* The current thread's state; NULL where it has none, or there is no memory for it. */
TM_INLINE struct tm_thread *thread__find(void)
{
	return bpf_task_storage_get(&tm_threads, bpf_get_current_task_btf(), NULL, 0);
}

TM_INLINE struct tm_thread *thread__get(void)
{
	return bpf_task_storage_get(&tm_threads, bpf_get_current_task_btf(), NULL,
				    BPF_LOCAL_STORAGE_GET_F_CREATE);
}

TM_INLINE struct tm_stack *thread__find_stack(void)
{
	return bpf_task_storage_get(&tm_stacks, bpf_get_current_task_btf(), NULL, 0);
}

TM_INLINE struct tm_stack *thread__get_stack(void)
{
	return bpf_task_storage_get(&tm_stacks, bpf_get_current_task_btf(), NULL,
				    BPF_LOCAL_STORAGE_GET_F_CREATE);
}

#endif
