/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Wakes the loader at once when a process maps a file as code that was never mapped before
 * (tmtrace/doorbell.h). Files that were mapped before wake nobody, so that a busy machine does not
 * keep the loader awake.
 */
#ifndef USER_DISCOVERY_DOORBELL_H
#define USER_DISCOVERY_DOORBELL_H

#include <stdbool.h>

#include "kernel/kernel.h"

struct doorbell;

/*
 * What the kernel side has must outlive it. From now on every file rings once. 0 and *out, or
 * -ENOMEM, or why the ring cannot be mapped.
 */
int doorbell__open(struct doorbell **out, const struct kernel_doorbell *kernel);
void doorbell__close(struct doorbell *doorbell); /* NULL is fine */

/* That of its ring, see bpf_ring__fd(); to be polled. */
int doorbell__fd(const struct doorbell *doorbell);

/*
 * To be called before what is mapped is looked at, and after: settled says that nothing of it has
 * to be looked at again. What rang before the call before this one was mapped by then, and rings no
 * more.
 */
void doorbell__begin(struct doorbell *doorbell);
void doorbell__end(struct doorbell *doorbell, bool settled);

/* Every file rings again. */
void doorbell__forget(struct doorbell *doorbell);

#endif
