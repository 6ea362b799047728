/* SPDX-License-Identifier: GPL-2.0-only */
/* Can a program of ours be preempted while it runs? */
#ifndef USER_KERNEL_PREEMPT_H
#define USER_KERNEL_PREEMPT_H

#include <stdbool.h>
#include <bpf/btf.h>

/*
 * A kernel that preempts the program of one task does not run it for the next task on that CPU (it
 * takes that for recursion, and counts it): the event is lost. Tracepoints run with preemption off
 * up to Linux 6.x and may be preempted since. By trying; false where that cannot be told.
 */
bool preempt__at_tracepoints(const struct btf *btf);

/*
 * Does the kernel preempt itself, as it does in the models "full" and "lazy"? Then programs at
 * functions (fentry) are preempted, too. false where it does not say.
 */
bool preempt__anywhere(void);

#endif
