/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Says what the surroundings of this process allow: namespaces, mounts and filters that a container
 * or a sandbox has set up, and that decide what can be traced, and which numbers processes have.
 */
#ifndef USER_BASE_SURROUNDINGS_H
#define USER_BASE_SURROUNDINGS_H

#include <linux/types.h>
#include <stdbool.h>

#include "base/error.h"

/* The inode of this process's PID namespace; 0: it is the first one, or /proc is not there. */
__u32 surroundings__pid_namespace(void);

/*
 * Are /proc and /sys there, and are numbers in /proc, and of what this process starts, those of its
 * own PID namespace? 0, or -ENOENT, -EXDEV with the reason and the way out.
 */
int surroundings__check(struct error *err);

/* Does the error say that the kernel refuses this process something that others may do? */
bool surroundings__is_refusal(int code);

/*
 * Why BPF programs, or probes, are refused with that error (surroundings__is_refusal()), and the
 * way out, for a message: a user namespace, a seccomp filter, capabilities, lockdown. Valid until
 * the next call by the same thread.
 */
const char *surroundings__explain(int code);

#endif
