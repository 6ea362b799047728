/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Accounts of processes: counting into them. Without accounts nothing of this is left in the
 * programs: the verifier drops what depends on tm_config.accounts.
 */
#ifndef BPF_ACCOUNT_BPF_H
#define BPF_ACCOUNT_BPF_H

#include "series.bpf.h"

TM_INLINE bool account__is_on(void)
{
	return tm_config.accounts;
}

/*
 * The number of the current process' account, which gets one if it has none; 0: it is to have none.
 * Not inlined: a thread remembers it.
 */
u32 account__number(void);
/* The same; what the process executes is then known, too. It needs more of the stack. */
u32 account__meet(void);

TM_INLINE struct tm_account *account__of(struct tm_thread *thread)
{
	if (!thread->account)
		thread->account = account__meet();
	return bpf_map_lookup_elem(&tm_accounts, &thread->account);
}

/* That of the process with this pid, which is in a map or on the stack; NULL: it has none. */
TM_INLINE struct tm_account *account__of_process(const u32 *tgid)
{
	u32 *number = bpf_map_lookup_elem(&tm_account_numbers, tgid);

	return number ? bpf_map_lookup_elem(&tm_accounts, number) : NULL;
}

/* An operation on a file that took ns; result: what the kernel returned. */
TM_INLINE void account__count_vfs(struct tm_account *account, enum tm_direction direction, u64 ns,
				  s64 result, bool has_bytes)
{
	u64 place = direction; /* 64 bits: 6.1 checks bounds of no less */
	struct tm_account_sum *sum;

	TM_PIN(place);
	if (!account || place > TM_DIRECTIONS)
		return;
	sum = &account->sums.vfs[place];
	ADD(sum->count, 1);
	ADD(sum->ns, ns);
	if (result < 0 && result >= -4095) {
		if (!series__is_retry(-result))
			ADD(account->sums.vfs_errors, 1);
	} else if (has_bytes && result) {
		ADD(sum->bytes, result);
	}
}

/* A block request of the process with this pid is complete. */
TM_INLINE void account__count_request(const u32 *tgid, u32 function, u64 bytes)
{
	struct tm_account *account;

	if (!*tgid || !bytes || function > TM_BLOCK_WRITE)
		return;
	account = account__of_process(tgid);
	if (!account)
		return;
	if (function == TM_BLOCK_READ)
		ADD(account->sums.storage_bytes[TM_DIRECTION_READ], bytes);
	else
		ADD(account->sums.storage_bytes[TM_DIRECTION_WRITE], bytes);
}

/* The layers of a call that is depth calls deep: its own, and those around it. */
TM_INLINE u16 account__layers(struct tm_stack *stack, u32 depth)
{
	u16 *layers = TM_OF_FRAME(stack->layers, depth);

	return layers ? *layers : 0;
}

/* Those beyond the last that is told apart: none. */
TM_INLINE u16 account__bit(u8 layer)
{
	u32 place = layer - TM_LAYER_USER;

	return place < TM_ACCOUNT_LAYERS ? 1 << place : 0;
}

/* A call of a layer opens, with the frame at depth. */
TM_INLINE void account__open(struct tm_stack *stack, u32 depth, u8 layer)
{
	u16 *layers = TM_OF_FRAME(stack->layers, depth);

	if (layers)
		*layers = (depth ? account__layers(stack, depth - 1) : 0) | account__bit(layer);
}

/*
 * A call of that probe begins in the current thread, and is counted, before its frame is opened (ns
 * 0); or the innermost one ends, and took ns. A function of its own, which the verifier looks at
 * once.
 */
int account__count_call(u32 probe, u64 ns);

#endif
