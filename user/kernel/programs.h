/* SPDX-License-Identifier: GPL-2.0-only */
/* Which programs of the BPF object a run loads. Only for user/kernel. */
#ifndef USER_KERNEL_PROGRAMS_H
#define USER_KERNEL_PROGRAMS_H

#include "base/error.h"
#include "kernel/kernel_options.h"
#include "kernel/rung.h"

/* Of library calls: those of the mechanism, and the guards that it needs; or none of them. */
void programs__choose_calls(struct tmtrace_bpf *skel, enum uprobe_mechanism mechanism, bool loaded);

/* These, as the options want them, and what probing libraries needs besides. */
void programs__choose_user(struct tmtrace_bpf *skel, const struct kernel_options *options);

/*
 * Of the kernel's layers: what follows processes, and the mechanisms of the traced layers, whose
 * numbers go into rungs. Without any on this kernel a layer stays as it is, with a note, but an
 * error if one was forced.
 */
int programs__choose_kernel(const struct rung_context *context, int rungs[KERNEL_LAYERS],
			    struct error *err);

#endif
