/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long processes are associated with something that they join and leave by calls, as the
 * catalogue says: a workflow. As with handles, nothing of this is left where no layer has it.
 */
#ifndef BPF_ASSOCIATION_BPF_H
#define BPF_ASSOCIATION_BPF_H

#include "maps.bpf.h"

/*
 * A call of a probe that joins or leaves ended and did not fail, whose frame is at index depth.
 * slot: of its series; ns: how long it took. Not inlined: it is rare.
 */
int association__call(u32 probe, u32 depth, u32 slot, u64 ns);
/* A process is over. */
int association__sweep(u32 tgid);

#endif
