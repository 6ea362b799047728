/* SPDX-License-Identifier: GPL-2.0-only */
/* Faults of kernels that programs must live with, each with the commit that made it. */
#ifndef BPF_QUIRKS_BPF_H
#define BPF_QUIRKS_BPF_H

#include "maps.bpf.h"

/*
 * To be called by every uprobe program, and by those that others continue with (tail calls). Since
 * 6.13 (a76ab5731e32) the JIT moves frames of 64 bytes and more from the task's stack to one per
 * CPU, in programs that it takes to be safe from recursion. Uprobe programs are among these, as
 * programs of kprobes, but they can be preempted. So are fentry programs, which are guarded where
 * they are entered: by each of those that continue with the same one, for itself. Threads that take
 * turns within them on a CPU then overwrite each other's variables, and the kernel crashes (seen
 * on 7.2 with its lazy preemption). A program with a tail call stays on the task's stack; this one
 * is never made, so that the verifier drops it, and needs no map.
 */
TM_INLINE void quirk__keep_task_stack(void *ctx)
{
	if (!tm_config.shards)
		bpf_tail_call(ctx, NULL, 0);
}

#endif
