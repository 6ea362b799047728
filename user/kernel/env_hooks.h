/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Further hooks for jobs that the environment names, on kernels that preempt themselves: there
 * programs at tracepoints are not always run. Only for user/kernel.
 */
#ifndef USER_KERNEL_ENV_HOOKS_H
#define USER_KERNEL_ENV_HOOKS_H

#include "kernel/links.h"

struct tmtrace_bpf;

/* Before load: chooses them where they may be of use. */
void env_hooks__choose(struct tmtrace_bpf *skel);

/* After it. What cannot be hooked is seen at tracepoints alone; those that were missed are told. */
void env_hooks__attach(const struct tmtrace_bpf *skel, struct links *links);

#endif
