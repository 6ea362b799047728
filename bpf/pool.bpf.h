/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Storage pools, as the catalogue says which calls tell of some. As with handles, nothing of this
 * is left where no layer has such calls.
 */
#ifndef BPF_POOL_BPF_H
#define BPF_POOL_BPF_H

#include "maps.bpf.h"

/* A call of a probe ended and did not fail, whose frame is at index depth. Not inlined: it is rare.
 */
int pool__learn(u32 probe, u32 depth);

#endif
