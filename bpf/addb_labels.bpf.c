// SPDX-License-Identifier: GPL-2.0-only
/*
 * What threads without a machine add, and the labels that hold then: those that the thread itself
 * has pushed. A thread may have a machine for a while, and push labels that are the machine's: they
 * are known as such when a record of it has them, too.
 */
#include "addb_labels.bpf.h"

int addb__push(u64 id, u32 n, u64 words)
{
	struct tm_addb_ledger *ledger = addb__ledger(TM_ADDB_PUSH);
	struct tm_addb_thread *thread = addb__thread(true);
	struct tm_addb_label *label;
	u32 depth;

	if (!ledger)
		return 0;
	depth = thread ? thread->depth : 0;
	if (depth >= TM_ADDB_LABELS) {
		ADD(ledger->full, 1);
		return 0;
	}
	label = thread ? addb__label(depth, true) : NULL;
	if (!label) {
		ADD(ledger->busy, 1);
		return 0;
	}
	label->head = id & TM_ADDB_ID;
	if (n > TM_ADDB_WORDS ||
	    (n && bpf_probe_read_user(label->words, (n * sizeof(u64)) & 127, (void *)words))) {
		label->head |= TM_ADDB_WORDLESS;
		ADD(ledger->labels_unreadable, 1);
	} else {
		label->head |= (u64)n << TM_ADDB_ID_BITS;
	}
	thread->depth = depth + 1;
	ADD(ledger->recorded, 1);
	return 0;
}

/* Takes the innermost label off, and those further out that have gone before. */
TM_INLINE void addb__drop(struct tm_addb_thread *thread)
{
	struct tm_addb_label *label;

	thread->depth--;
	for (int i = 0; i < TM_ADDB_LABELS && thread->depth; i++) {
		label = addb__label(thread->depth - 1, false);
		if (!label || !(label->head & TM_ADDB_GONE))
			break;
		thread->depth--;
	}
}

int addb__pop(u64 id)
{
	struct tm_addb_ledger *ledger = addb__ledger(TM_ADDB_POP);
	struct tm_addb_thread *thread = addb__thread(false);
	u32 depth = thread ? thread->depth : 0;

	if (!ledger)
		return 0;
	for (u32 i = 0; thread && i < TM_ADDB_LABELS && i < depth; i++) {
		struct tm_addb_label *label = addb__label(depth - 1 - i, false);

		if (!label)
			break;
		if (label->head & TM_ADDB_GONE || (label->head & TM_ADDB_ID) != (id & TM_ADDB_ID))
			continue;
		if (i) {
			label->head |= TM_ADDB_GONE;
			break;
		}
		addb__drop(thread);
		ADD(ledger->recorded, 1);
		return 0;
	}
	ADD(ledger->misplaced, 1);
	return 0;
}

int addb__add(u64 sp, u64 job, u64 id, u32 n, u64 words)
{
	struct tm_addb_ledger *ledger = addb__ledger(TM_ADDB_ADD);
	struct tm_addb_thread *thread = addb__thread(true);
	struct tm_addb_open *open;

	if (!ledger)
		return 0;
	if (thread)
		addb__forget_below(thread, sp + 1);
	if (!thread || thread->n_open >= TM_ADDB_OPEN) {
		ADD(ledger->busy, 1);
		return 0;
	}
	thread->n_open++;
	open = addb__innermost(thread);
	if (open)
		*open = (struct tm_addb_open){
			.sp = sp, .job = job, .id = id, .words = words, .n = n
		};
	return 0;
}

/*
 * A record of a machine, with n labels at an address: the call of m0_addb2_add that it is of need
 * not tell it. The thread's last labels are the machine's if that has them as its last ones.
 */
int addb__cover(u64 sp, u64 labels, u32 n)
{
	struct tm_addb_ledger *ledger = addb__ledger(TM_ADDB_ADD);
	struct tm_addb_thread *thread = addb__thread(false);
	struct tm_addb_open *open;

	if (!thread || !ledger)
		return 0;
	addb__forget_below(thread, sp);
	open = addb__innermost(thread);
	if (open && !open->covered) {
		open->covered = 1;
		ADD(ledger->covered, 1);
	}
	for (u32 i = 0; i < TM_ADDB_LABELS && i < n && i < thread->depth; i++) {
		struct tm_addb_label *label = addb__label(thread->depth - 1 - i, false);
		u64 at = labels + (u64)(n - 1 - i) * sizeof(struct tm_addb_value), id;

		if (!label || label->head & TM_ADDB_OF_MACHINE)
			break;
		if (bpf_probe_read_user(&id, sizeof(id), (void *)at) ||
		    (id & TM_ADDB_ID) != (label->head & TM_ADDB_ID))
			break;
		label->head |= TM_ADDB_OF_MACHINE;
	}
	return 0;
}
