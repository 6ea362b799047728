/* SPDX-License-Identifier: GPL-2.0-only */
/* The labels that a thread has pushed, and its calls of m0_addb2_add that are open. */
#ifndef BPF_ADDB_LABELS_BPF_H
#define BPF_ADDB_LABELS_BPF_H

#include "addb.bpf.h"

/* NULL: it has none yet, or (make) the kernel refuses memory. */
TM_INLINE struct tm_addb_thread *addb__thread(bool make)
{
	return bpf_task_storage_get(&tm_addb_threads, bpf_get_current_task_btf(), NULL,
				    make ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
}

/* The label so many others deep, with room for it where there is none yet (make); NULL as above. */
TM_INLINE struct tm_addb_label *addb__label(u32 depth, bool make)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 flags = make ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0;
	struct tm_addb_labels *half;

	if (depth < TM_ADDB_HALF)
		half = bpf_task_storage_get(&tm_addb_outer, task, NULL, flags);
	else
		half = bpf_task_storage_get(&tm_addb_inner, task, NULL, flags);
	if (!half)
		return NULL;
	depth &= TM_ADDB_HALF - 1;
	TM_PIN(depth);
	return &half->at[depth & (TM_ADDB_HALF - 1)];
}

/* The innermost call that is open; NULL: none. */
TM_INLINE struct tm_addb_open *addb__innermost(struct tm_addb_thread *thread)
{
	u32 i = thread->n_open - 1;

	if (i >= TM_ADDB_OPEN)
		return NULL;
	TM_PIN(i);
	return &thread->open[i & (TM_ADDB_OPEN - 1)];
}

/* Calls further in than a stack pointer have ended unseen. */
TM_INLINE void addb__forget_below(struct tm_addb_thread *thread, u64 sp)
{
	struct tm_addb_ledger *ledger = addb__ledger(TM_ADDB_ADD);

	for (int i = 0; i < TM_ADDB_OPEN; i++) {
		struct tm_addb_open *open = addb__innermost(thread);

		if (!open || open->sp >= sp)
			break;
		if (!open->covered && ledger)
			ADD(ledger->undecided, 1);
		thread->n_open--;
	}
}

#endif
