/* SPDX-License-Identifier: GPL-2.0-only */
/* Telling the loader of the environment that the current process was started with. */
#ifndef BPF_ENVIRONMENT_BPF_H
#define BPF_ENVIRONMENT_BPF_H

#include "maps.bpf.h"

struct environment {
	u64 start, id;
	u32 process, total;
};

/* Where it is; false: the process has none. */
TM_INLINE bool environment__begin(struct environment *environment, struct mm_struct *mm)
{
	u64 bytes;

	environment->start = BPF_CORE_READ(mm, env_start);
	bytes = BPF_CORE_READ(mm, env_end) - environment->start;
	environment->total = bytes < TM_ENVIRONMENT_MAX ? bytes : TM_ENVIRONMENT_MAX;
	return environment->total;
}

TM_INLINE u32 environment__pieces(const struct environment *environment)
{
	return (environment->total + TM_ENVIRONMENT_PIECE - 1) / TM_ENVIRONMENT_PIECE;
}

/* Sends piece i through a ring buffer, a constant; 1: it is lost, and with it what follows. */
TM_INLINE long environment__send(void *ring, u32 i, const struct environment *environment,
				 u64 wakeup)
{
	u32 offset = i * TM_ENVIRONMENT_PIECE, bytes = environment->total - offset;
	struct tm_environment *piece = bpf_ringbuf_reserve(ring, sizeof(*piece), 0);

	if (!piece)
		goto lost;
	if (bytes > TM_ENVIRONMENT_PIECE)
		bytes = TM_ENVIRONMENT_PIECE;
	piece->process = environment->process;
	piece->id = environment->id;
	piece->total = environment->total;
	piece->offset = offset;
	piece->bytes = bytes;
	TM_PIN(bytes);
	if (bytes > TM_ENVIRONMENT_PIECE ||
	    bpf_probe_read_user(piece->text, bytes, (void *)(environment->start + offset))) {
		bpf_ringbuf_discard(piece, 0);
		goto lost;
	}
	bpf_ringbuf_submit(piece, wakeup);
	return 0;
lost:
	__sync_fetch_and_add(&tm_environments_lost, 1);
	return 1;
}

#endif
