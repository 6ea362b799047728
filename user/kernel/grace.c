// SPDX-License-Identifier: GPL-2.0-only
#include <time.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/grace.h"

/* Where the kernel refuses to wait for its programs: longer than they run, as a rule. */
#define GRACE_NS 5000000

void grace__wait(void)
{
	const struct timespec grace = { .tv_nsec = GRACE_NS };

	/* MEMBARRIER_CMD_GLOBAL waits for an RCU grace period, and so for every BPF program. */
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		nanosleep(&grace, NULL);
}
