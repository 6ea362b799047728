/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The address spaces of the machine's processes. Those that were there before are read from /proc
 * when they are asked for; of what comes later the kernel tells (host/watch.h), so that what a
 * process had mapped is known when it is gone.
 */
#ifndef USER_STACKS_SPACES_H
#define USER_STACKS_SPACES_H

#include "base/error.h"
#include "stacks/space.h"

struct spaces;

/* From now on. 0 and *out, or those of watch__open(). */
int spaces__open(struct spaces **out, struct error *err);
void spaces__close(struct spaces *spaces); /* NULL is fine */

/* Takes in what has happened. 0 or -ENOMEM: something is missing. */
int spaces__follow(struct spaces *spaces);

/* That of a process; NULL: nothing is known of it. Valid until the next spaces__follow(). */
struct space *spaces__of(struct spaces *spaces, pid_t pid);

/* How many mappings the kernel had no room to tell of. */
__u64 spaces__lost(const struct spaces *spaces);

#endif
