/* SPDX-License-Identifier: GPL-2.0-only */
/* Ring buffers to the loader: when to wake it, and why there was no room. */
#ifndef BPF_RING_BPF_H
#define BPF_RING_BPF_H

#include "maps.bpf.h"

#define RING_HEADER 8 /* BPF_RINGBUF_HDR_SZ, before each record */

/* The loader is woken whenever step bytes, a power of two, have come; its clock does the rest. */
TM_INLINE u64 ring__wakeup(void *ring, u64 step, u64 size)
{
	u64 filled = bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA);

	return (filled & (step - 1)) + size + RING_HEADER >= step ? BPF_RB_FORCE_WAKEUP
								  : BPF_RB_NO_WAKEUP;
}

/* A record of that size found no place: was it too full? Else it was busy, or no memory. */
TM_INLINE bool ring__is_full(void *ring, u64 size)
{
	u64 filled = bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA);

	return filled + size + RING_HEADER > bpf_ringbuf_query(ring, BPF_RB_RING_SIZE);
}

#endif
