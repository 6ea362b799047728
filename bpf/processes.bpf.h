/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of processes, where they are told apart: tm_config.per_process; and who submits what
 * completes later.
 */
#ifndef BPF_PROCESSES_BPF_H
#define BPF_PROCESSES_BPF_H

#include "maps.bpf.h"

/* The current process's number; 0 where none is given: a trial. Not inlined: the rare first use. */
u32 process__number(void);

/* The current process forks one, whose task is at that address. */
int process__fork(u64 child);
/* The current process has called exec. */
int process__exec(void);
/* The process with that pid has ended. */
int process__end(u32 tgid);

/* What series have as the current process, whose thread has that state; NULL: not known. */
TM_INLINE u32 process__of(struct tm_thread *thread)
{
	if (!tm_config.per_process)
		return 0;
	if (!thread)
		return process__number();
	if (!thread->process)
		thread->process = process__number();
	return thread->process;
}

/* The process has operations that complete later: at its end there is something to look for. */
TM_INLINE void process__note_submitter(u32 tgid)
{
	u8 yes = 1;

	if (!bpf_map_lookup_elem(&tm_submitters, &tgid))
		bpf_map_update_elem(&tm_submitters, &tgid, &yes, BPF_ANY);
}

#endif
