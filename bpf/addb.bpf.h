/* SPDX-License-Identifier: GPL-2.0-only */
/* ADDB2 records of the object store Motr, taken at the entry of its own functions. */
#ifndef BPF_ADDB_BPF_H
#define BPF_ADDB_BPF_H

#include "maps.bpf.h"

/*
 * The record at an address of the current program, for that job. Not inlined: where nobody asks for
 * records nothing is left of it. Always 0.
 */
int addb__consume(u64 address, u64 job);

/* A function of ADDB2's interface is called. */
TM_INLINE void addb__enter(const struct pt_regs *regs, enum tm_addb_role role, u64 job)
{
	if (tm_config.addb.on && role == TM_ADDB_CONSUME)
		addb__consume(regs->si, job);
}

#endif
