/* SPDX-License-Identifier: GPL-2.0-only */
/* ADDB2 records of the object store Motr, taken at the entry of its own functions. */
#ifndef BPF_ADDB_BPF_H
#define BPF_ADDB_BPF_H

#include "series.bpf.h"

/* Where a record lies in the current program. */
struct addb_source {
	struct tm_addb_head head;
	u64 labels; /* address */
	u64 job;
};

TM_INLINE struct tm_addb_ledger *addb__ledger(enum tm_addb_role role)
{
	u32 index = role * tm_config.shards + this_shard();

	return bpf_map_lookup_elem(&tm_addb_ledgers, &index);
}

/* Adds a record to the sums. Always 0. */
int addb__sum(const struct addb_source *source);

/* The record at an address of the current program, for that job. Always 0. */
int addb__consume(u64 address, u64 job);

/* A function of ADDB2's interface is called. */
TM_INLINE void addb__enter(const struct pt_regs *regs, enum tm_addb_role role, u64 job)
{
	if ((tm_config.addb.on || tm_config.addb.n_machines) && role == TM_ADDB_CONSUME)
		addb__consume(regs->si, job);
}

#endif
