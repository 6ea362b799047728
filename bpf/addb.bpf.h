/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ADDB2 records of the object store Motr, taken at its own functions: of a machine where it tells
 * them, of a thread without one where they are added. Not inlined: where nobody asks for records
 * nothing is left of it. Return values are always 0.
 */
#ifndef BPF_ADDB_BPF_H
#define BPF_ADDB_BPF_H

#include "series.bpf.h"

/* The record at an address of the current program, for that job. sp: at entry, here as below. */
int addb__consume(u64 address, u64 job, u64 sp);

/* A record of n words at an address is about to be added; addb__added(): it was. */
int addb__add(u64 sp, u64 job, u64 id, u32 n, u64 words);
int addb__added(u64 sp);

/* A label of n words at an address holds from now on, and no longer. */
int addb__push(u64 id, u32 n, u64 words);
int addb__pop(u64 id);

/* A machine tells a record, which has n labels at an address. */
int addb__cover(u64 sp, u64 labels, u32 n);

TM_INLINE struct tm_addb_ledger *addb__ledger(enum tm_addb_role role)
{
	u32 index = role * tm_config.shards + this_shard();

	return bpf_map_lookup_elem(&tm_addb_ledgers, &index);
}

/* A function of ADDB2's interface is called. */
TM_INLINE void addb__enter(const struct pt_regs *regs, enum tm_addb_role role, u64 job)
{
	if (!tm_config.addb.on)
		return;
	if (role == TM_ADDB_CONSUME)
		addb__consume(regs->si, job, regs->sp);
	else if (role == TM_ADDB_ADD)
		addb__add(regs->sp, job, regs->di, regs->si, regs->dx);
	else if (role == TM_ADDB_PUSH)
		addb__push(regs->di, regs->si, regs->dx);
	else if (role == TM_ADDB_POP)
		addb__pop(regs->di);
}

/* It returns. */
TM_INLINE void addb__leave(u64 sp, enum tm_addb_role role)
{
	if (tm_config.addb.on && role == TM_ADDB_ADD)
		addb__added(sp);
}

#endif
