/* SPDX-License-Identifier: GPL-2.0-only */
/* What holds the programs of the kernel's layers attached; released together. */
#ifndef USER_KERNEL_LINKS_H
#define USER_KERNEL_LINKS_H

#include <stddef.h>
#include <sys/types.h>
#include <bpf/libbpf.h>

#include "kernel/pins.h"

struct links {
	struct pins *pins;	 /* where they are kept, too; NULL: nowhere */
	struct bpf_link **links; /* libbpf's */
	size_t n_links, links_room;
	int *fds; /* descriptors of links and perf events, in the order in which they were made */
	size_t n_fds, fds_room;
	int *programs; /* those that were loaded beside the object's */
	size_t n_programs, programs_room;
};

/* All take over what they are given, also when they fail, with a negative errno; it is gone then.
 */
int links__add(struct links *links, struct bpf_link *link);
int links__add_fd(struct links *links, int fd);
int links__add_program(struct links *links, int program_fd);

/* Takes over what was kept of those that were made before. 0, or a negative errno. */
int links__adopt(struct links *links);

/*
 * Detaches all, but for what is kept. The kernel waits some 0.1 s for each hooked function: those
 * are left to a process of its own in the background, whose number this returns; 0: all is done.
 */
pid_t links__release(struct links *links);

#endif
