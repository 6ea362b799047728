/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ADDB2 records of the object store Motr, taken at its own functions: of a machine where it tells
 * them, of a thread without one where they are added. Not inlined: where nobody asks for records
 * nothing is left of it. Return values are always 0.
 */
#ifndef BPF_ADDB_BPF_H
#define BPF_ADDB_BPF_H

#include "series.bpf.h"

/*
 * The record at an address of the current program; key: of the function's calls, here as below. sp:
 * at entry, too.
 */
int addb__consume(u64 address, const struct tm_key *key, u64 sp);

/*
 * A record of n words at an address is about to be added; addb__added(): it was. slot: of the
 * function's calls.
 */
int addb__add(u64 sp, u64 job, u64 id, u32 n, u64 words);
int addb__added(u64 sp, u32 slot);

/* A label of n words at an address holds from now on, and no longer. */
int addb__push(u64 id, u32 n, u64 words);
int addb__pop(u64 id);

/* A machine tells a record, which has n labels at an address. */
int addb__cover(u64 sp, u64 labels, u32 n);

/* Sums: of the record at an address; of the one that addb__added() is about. */
int addb__sum_consumed(u64 address, const struct tm_key *key);
int addb__sum_added(u32 slot);
/* A sensor at an address is told a value. */
int addb__sum_told(u64 sensor, u64 value, const struct tm_key *key);
/* Are there sums of records with that identifier? */
bool addb__is_summed(u64 id);
/* A process is over. */
int addb__sweep(u32 tgid);
/* Nothing is known of any machine any more. Always 0. */
int addb__forget_machines(void);

TM_INLINE struct tm_addb_ledger *addb__ledger(enum tm_addb_role role)
{
	u32 index = role * tm_config.shards + this_shard();

	return bpf_map_lookup_elem(&tm_addb_ledgers, &index);
}

/* A function of ADDB2's interface is called. */
TM_INLINE void addb__enter(const struct pt_regs *regs, enum tm_addb_role role,
			   const struct tm_key *key)
{
	if (!tm_config.addb.on && !tm_config.addb.sums)
		return;
	if (role == TM_ADDB_CONSUME)
		addb__consume(regs->si, key, regs->sp);
	else if (role == TM_ADDB_ADD && (tm_config.addb.on || addb__is_summed(regs->di)))
		addb__add(regs->sp, key->job, regs->di, regs->si, regs->dx);
	else if (role == TM_ADDB_MODIFY && tm_config.addb.sums)
		addb__sum_told(regs->di, regs->si, key);
	else if (role == TM_ADDB_PUSH && tm_config.addb.on)
		addb__push(regs->di, regs->si, regs->dx);
	else if (role == TM_ADDB_POP && tm_config.addb.on)
		addb__pop(regs->di);
}

/* The same, and what it took; n: calls of the function on this processor. */
TM_INLINE void addb__enter_measured(const struct pt_regs *regs, enum tm_addb_role role,
				    const struct tm_key *key, u64 n)
{
	u64 begin = n % TM_ADDB_MEASURED ? 0 : bpf_ktime_get_ns();

	addb__enter(regs, role, key);
	if (!begin)
		return;
	ADD(tm_addb_spent.n, 1);
	ADD(tm_addb_spent.ns, bpf_ktime_get_ns() - begin);
}

/* It returns. slot: of the function's calls. */
TM_INLINE void addb__leave(u64 sp, enum tm_addb_role role, u32 slot)
{
	if ((tm_config.addb.on || tm_config.addb.sums) && role == TM_ADDB_ADD)
		addb__added(sp, slot);
}

#endif
