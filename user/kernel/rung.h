/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One mechanism of a kernel layer: how it is tried, which programs it needs, how they are attached.
 * Only for user/kernel.
 */
#ifndef USER_KERNEL_RUNG_H
#define USER_KERNEL_RUNG_H

#include <stdbool.h>
#include <stddef.h>
#include <bpf/btf.h>

#include "base/error.h"
#include "base/note_list.h"
#include "kernel/kernel_options.h"
#include "kernel/links.h"
#include "tmtrace.skel.h"

/* What a rung works on. */
struct rung_context {
	struct tmtrace_bpf *skel; /* opened, from attach() on loaded */
	const struct btf *btf;	  /* the kernel's types; valid until attach() returns */
	const struct kernel_options *options;
	struct note_list *notes; /* what the rung cannot see on this kernel */
	struct links *links;	 /* what attach() makes goes in here */
};

struct rung {
	const char *name;
	/* 0, or the negative errno of what this kernel refused when it was tried. */
	int (*try)(const struct rung_context *context);
	/* Before load: bpf_program__set_autoload(prog, true) for what it needs; all are off. */
	void (*choose)(const struct rung_context *context);
	/*
	 * After load: attaches what kernel__attach() does not attach by itself, which is all
	 * programs on tracepoints, of every kind.
	 * NULL: nothing. 0 or a negative errno.
	 */
	int (*attach)(const struct rung_context *context, struct error *err);
	/* Can its programs be preempted on this kernel, and events be lost by that? NULL: no. */
	bool (*preempted)(const struct rung_context *context);
};

struct ladder {
	const char *layer;
	const struct rung *rungs; /* from best to last */
	int n;
	/* The rung that is tried before the best one in such a run; NULL, -1: none. */
	int (*preferred)(const struct kernel_options *options);
};

extern const struct ladder vfs_ladder, block_ladder;

#endif
