/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BPF_DOORBELL_BPF_H
#define BPF_DOORBELL_BPF_H

#include "maps.bpf.h"

/*
 * Rings if the file at this address is about to be mapped as code, and is not known. Not inlined:
 * it is rare. Returns 0.
 */
int doorbell__look(u64 file);

TM_INLINE bool doorbell__is_on(void)
{
	return tm_config.doorbell;
}

#endif
