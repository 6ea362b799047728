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

int try__tp_btf(const struct btf *btf, const char *tracepoint);
int try__raw_tp(const char *tracepoint);
/* A tracepoint as perf uses it: it must be readable in tracefs. */
int try__tracepoint(const char *category, const char *tracepoint);
int try__kprobe(const char *function, bool returns);
/* type: KPROBE_MULTI or KPROBE_SESSION */
int try__kprobe_multi(int type, const char *function);
int try__fentry(const struct btf *btf, const char *function);

/* How many arguments a BTF tracepoint gives; -ENOENT where this kernel has none of that name. */
int try__arguments(const struct btf *btf, const char *tracepoint);
/* The size in bytes of its argument number i, from 0; -ENOENT where it has none. */
int try__argument_size(const struct btf *btf, const char *tracepoint, int i);

#endif
