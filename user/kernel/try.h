/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finding out what this kernel has and this user may use, with programs that do nothing. All return
 * 0, or the negative errno of the step that was refused.
 *
 * A tracepoint is not attached to for that: the next one to attach would wait for a grace period,
 * 8 to 16 ms. The kernel refuses what it lacks before.
 */
#ifndef USER_KERNEL_TRY_H
#define USER_KERNEL_TRY_H

#include <stdbool.h>
#include <bpf/btf.h>

#include "kernel/links.h"

int try__tp_btf(const struct btf *btf, const char *tracepoint);
int try__raw_tp(const char *tracepoint);
/* A tracepoint as perf uses it: it must be readable in tracefs. */
int try__tracepoint(const char *category, const char *tracepoint);
int try__kprobe(const char *function, bool returns);
/*
 * These attach to the function, which should be one that is hardly ever called, and leave it so:
 * taking the program away waits for a grace period, some 0.1 s. The link goes to links.
 */
int try__kprobe_multi(int type, const char *function, struct links *links);
int try__fentry(const struct btf *btf, const char *function, struct links *links);

/* How many arguments a BTF tracepoint gives; -ENOENT where this kernel has none of that name. */
int try__arguments(const struct btf *btf, const char *tracepoint);
/* The size in bytes of its argument number i, from 0; -ENOENT where it has none. */
int try__argument_size(const struct btf *btf, const char *tracepoint, int i);

#endif
