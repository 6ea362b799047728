/* SPDX-License-Identifier: GPL-2.0-only */
/* The BPF object, opened and loaded on this kernel. Only for user/kernel. */
#ifndef USER_KERNEL_SKELETON_H
#define USER_KERNEL_SKELETON_H

#include <bpf/btf.h>

#include "base/error.h"
#include "kernel/kernel.h"

struct tmtrace_bpf;

/*
 * Opens it, configured and sized, with no program to be loaded. kernel_btf: the kernel's types. It
 * is the caller's to destroy.
 */
int skeleton__open(struct tmtrace_bpf **out, const struct kernel_options *options,
		   const struct btf *kernel_btf, struct error *err);

/* Loads the programs that were chosen. cgroup_fd: as in the options. */
int skeleton__load(struct tmtrace_bpf *skel, int cgroup_fd, struct error *err);

#endif
