/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions of the system calls that are operations on files, to hang programs on. Every one
 * is optional: which of them there are depends on the kernel's configuration.
 */
#ifndef USER_KERNEL_HOOKS_H
#define USER_KERNEL_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <bpf/btf.h>

#include "base/note_list.h"

#define HOOKS_MAX 64

struct hook {
	const char *function; /* of the kernel */
	bool returns;	      /* its return is hooked too */
	bool often;	      /* programs call it often: there the cost of a hook counts */
	bool hooked;	      /* set by whoever has attached to it */
	__u32 btf_id;	      /* 0: this kernel does not have it */
	__u32 prototype;      /* the number of its type */
};

struct hooks {
	struct hook at[HOOKS_MAX];
	size_t n;
};

/* All of them, as this kernel has them. */
void hooks__find(struct hooks *hooks, const struct btf *btf);

/* What could not be hooked, in one line. */
void hooks__report(const struct hooks *hooks, struct note_list *notes);

#endif
