/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes links on a file in a process that can be abandoned. For a probe the kernel reads the page
 * with the instruction, while nobody on this machine can fork: where a file system has ceased to
 * answer, and the page is not in the page cache any more, this ends when the process is killed.
 */
#ifndef USER_ATTACH_LINKER_H
#define USER_ATTACH_LINKER_H

#include <stdbool.h>

#include "kernel/kernel.h"
#include "kernel/uprobe.h"

struct linker;

/* What is linked is a path to node (path__of_fd()), which is open. 0 and *out, or -errno. */
int linker__open(struct linker **out, const struct kernel *kernel, int node);
/* NULL is fine. */
void linker__close(struct linker *linker);

/*
 * As uprobe__link_multi() and uprobe__link_perf(), of which *perf_fd is NULL for the first one;
 * -EAGAIN: it took longer than LINKER_MS, and the process was killed.
 */
#define LINKER_MS 1000
int linker__link(struct linker *linker, enum uprobe_mechanism mechanism, int program_fd,
		 const struct uprobe_sites *sites, int *perf_fd);
/* Has that been? */
bool linker__is_lost(const struct linker *linker);

#endif
