/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes in maps that a program on the kernel side makes (bpf/errands.bpf.c). */
#ifndef USER_BASE_ERRAND_H
#define USER_BASE_ERRAND_H

#include <stddef.h>

/* Most bytes that a program takes: MAX_BPF_FUNC_ARGS (linux/bpf.h) words. */
#define ERRAND_BYTES_MAX (12 * 8)

/*
 * Runs a program, a descriptor that stays the caller's, with words of 8 bytes. What it returns, 0
 * or a negative errno, as is why it cannot be run.
 */
int errand__run(int program, const void *words, size_t bytes);

#endif
