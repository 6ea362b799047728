/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ladders of the kernel's layers: the mechanisms of each, from best to last. Which one a run
 * uses is decided by trying, or forced.
 */
#ifndef USER_KERNEL_LADDER_H
#define USER_KERNEL_LADDER_H

#include "base/error.h"
#include "kernel/kernel_options.h"

/* rung.h */
struct ladder;
struct rung_context;

/* Its rungs. */
const struct ladder *ladder__at(enum kernel_layer layer);

/* "vfs", "block" */
const char *ladder__layer(enum kernel_layer layer);

/* A mechanism as users write and read it, "fentry" for instance; NULL past the last one. */
const char *ladder__name(enum kernel_layer layer, int rung);

/*
 * The number of the mechanism to use: the forced one (-1: none is), else the best that this kernel
 * has. A negative errno with its text where the kernel lacks the forced one, or has none at all.
 */
int ladder__choose(enum kernel_layer layer, int forced, const struct rung_context *context,
		   struct error *err);

#endif
