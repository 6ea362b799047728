/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Closes descriptors whose closing takes long, in a process of its own: the kernel waits at each
 * perf uprobe for a grace period or two (uprobe_unregister(), some 0.1 s), one after the other.
 */
#ifndef USER_BASE_CLOSER_H
#define USER_BASE_CLOSER_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Closes all n descriptors here, and goes on closing them, the last one first, in a process that
 * outlives this one and holds nothing else. Its number; where there is none, they are closed when
 * this returns: -errno.
 */
pid_t closer__start(const int *fds, size_t n);

/* The same in this process, which lets go of everything else first, and ends. n 0: at once. */
_Noreturn void closer__run(const int *fds, size_t n);
/* Gives this process the name by which those are known that only take probes away. */
void closer__name(void);

#endif
