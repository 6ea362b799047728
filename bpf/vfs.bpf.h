/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counting VFS operations, whatever mechanism sees them: one operation is one system call, one
 * io_uring request or one AIO control block on a file.
 */
#ifndef BPF_VFS_BPF_H
#define BPF_VFS_BPF_H

#include "file.bpf.h"

/* Does the operation return a number of bytes? */
TM_INLINE bool vfs__counts_bytes(u32 function)
{
	return function == TM_VFS_READ || function == TM_VFS_WRITE || function == TM_VFS_SPLICE ||
	       function == TM_VFS_COPY_RANGE;
}

/* An operation begins in the series of a slot: the slot, or TM_NO_SLOT with the loss counted. */
TM_INLINE u32 vfs__begin_in(u32 function, u32 slot)
{
	struct tm_ledger *ledger = ledger__of(TM_PROBE_VFS + function);
	struct tm_series *series = series__at(slot);

	if (!ledger)
		return TM_NO_SLOT;
	ADD(ledger->hits, 1);
	if (!series) {
		ledger__lose(ledger, TM_LOSS_NO_SLOT);
		return TM_NO_SLOT;
	}
	ADD(series->in_flight, 1);
	return slot;
}

TM_INLINE u32 vfs__begin(u64 job, u32 function, struct file *file)
{
	return vfs__begin_in(function, file__slot(job, function, file));
}

/* The current process submits an operation that completes later. */
TM_INLINE void vfs__note_submitter(u32 tgid)
{
	u8 yes = 1;

	if (!bpf_map_lookup_elem(&tm_submitters, &tgid))
		bpf_map_update_elem(&tm_submitters, &tgid, &yes, BPF_ANY);
}

/* It was not an operation after all, or not on a file. */
TM_INLINE void vfs__filter(u32 function)
{
	struct tm_ledger *ledger = ledger__of(TM_PROBE_VFS + function);

	if (ledger) {
		ADD(ledger->hits, 1);
		ADD(ledger->filtered, 1);
	}
}

TM_INLINE void vfs__leave(u32 slot)
{
	struct tm_series *series = series__at(slot);

	if (series)
		ADD(series->in_flight, -1ULL);
}

/* Ends what vfs__begin() began without counting it: filtered, or lost for a reason. */
TM_INLINE void vfs__drop(u32 function, u32 slot, enum tm_loss reason)
{
	struct tm_ledger *ledger = ledger__of(TM_PROBE_VFS + function);

	if (!ledger)
		return;
	vfs__leave(slot);
	if (reason == TM_LOSSES)
		ADD(ledger->filtered, 1);
	else
		ledger__lose(ledger, reason);
}

/*
 * The file of an operation that began without it is known now: moves it to the right series, an
 * open that made its file to create. False where it ends here: it is no file, or there is no slot.
 */
TM_INLINE bool vfs__settle(u64 job, u32 *function, u32 *slot, struct file *file)
{
	u32 settled;

	if (!file || file__kind(file) != FILE_FILE) {
		vfs__drop(*function, *slot, TM_LOSSES);
		return false;
	}
	if (*function == TM_VFS_OPEN && file__was_created(file)) {
		vfs__drop(TM_VFS_OPEN, *slot, TM_LOSSES);
		*function = TM_VFS_CREATE;
		*slot = vfs__begin(job, TM_VFS_CREATE, file);
		return *slot != TM_NO_SLOT;
	}
	settled = file__slot(job, *function, file);
	if (settled == TM_NO_SLOT) {
		vfs__drop(*function, *slot, TM_LOSS_NO_SLOT);
		return false;
	}
	series__move(*slot, settled);
	*slot = settled;
	return true;
}

/* Ends it, counted into series number slot: ns from begin to end, and what the kernel returned. */
TM_INLINE struct tm_series *vfs__end(u32 function, u32 slot, u64 ns, s64 result)
{
	struct tm_ledger *ledger = ledger__of(TM_PROBE_VFS + function);
	struct tm_series *series = series__at(slot);

	if (!ledger || !series)
		return NULL;
	series__time(series, slot, ns);
	if (result < 0 && result >= -4095)
		series__fail(series, -result, false);
	else if (vfs__counts_bytes(function))
		series__size(series, slot, result);
	ADD(series->in_flight, -1ULL);
	ADD(ledger->recorded, 1);
	return series;
}

#endif
