/* SPDX-License-Identifier: GPL-2.0-only */
/* How long the kernel's programs run, which it measures while somebody asks for it. */
#ifndef USER_KERNEL_RUN_TIME_H
#define USER_KERNEL_RUN_TIME_H

#include <linux/types.h>
#include <bpf/libbpf.h>

#include "kernel/links.h"
#include "kernel/pins.h"

/*
 * From now on, until the descriptor that it returns is closed, the kernel measures all BPF programs
 * of the machine (d46edd671a14, 5.8): two readings of the clock for each run. Or a negative errno.
 */
int run_time__measure(void);

/*
 * Whose run time. Neither has that of probes on library functions: most of what these cost is the
 * trap. Nor what the loader runs itself, which is its own time.
 */
enum run_time {
	RUN_TIME_VFS,	    /* system calls, and io_uring */
	RUN_TIME_BLOCK,	    /* requests to devices */
	RUN_TIME_FOLLOWING, /* starts, ends and switches of processes, and cgroups */
};

/* Nanoseconds that the programs ran while it was measured. pins: as in misses.h. */
__u64 run_time__sum(const struct bpf_object *object, struct pins *pins, const struct links *links,
		    enum run_time kind);

#endif
