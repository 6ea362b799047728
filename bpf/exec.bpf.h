/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which exec was followed: of several programs that are there for the same the next one does what
 * the first did not, as the kernel had preempted it (7.x). Who is preempted between them may be
 * followed twice, which does no harm.
 */
#ifndef BPF_EXEC_BPF_H
#define BPF_EXEC_BPF_H

#include "env_maps.bpf.h"

TM_INLINE bool exec__is_followed(struct task_struct *task, u32 follower)
{
	struct tm_exec *last = bpf_map_lookup_elem(&tm_execs, &follower);

	return last && last->tgid == (u32)task->tgid && last->image == task->self_exec_id;
}

TM_INLINE void exec__note_followed(struct task_struct *task, u32 follower)
{
	struct tm_exec *last = bpf_map_lookup_elem(&tm_execs, &follower);

	if (!last)
		return;
	last->tgid = task->tgid;
	last->image = task->self_exec_id;
}

#endif
