/* SPDX-License-Identifier: GPL-2.0-only */
/* What a hit takes from its thread (tmtrace/toll.h). */
#ifndef BPF_TOLL_BPF_H
#define BPF_TOLL_BPF_H

#include "scope.bpf.h"
#include "thread.bpf.h"

TM_INLINE bool toll__is_on(void)
{
	return *(volatile u32 *)&tm_toll_prices.window;
}

/* Which probe has the majority of what is paid, without a list of all. */
TM_INLINE void toll__vote(struct tm_toll *toll, u32 probe, u32 ns)
{
	if (toll->probe == probe) {
		toll->votes += ns;
	} else if (toll->votes >= ns) {
		toll->votes -= ns;
	} else {
		toll->votes = ns - toll->votes;
		toll->probe = probe;
	}
}

/* The thread is the current one. */
TM_INLINE void toll__pay(struct tm_thread *thread, u32 probe, u32 ns)
{
	u32 window = *(volatile u32 *)&tm_toll_prices.window, cell;
	struct tm_toll *toll = &thread->toll;
	struct tm_toll_cell *most;

	if (toll->window != window) {
		toll->window = window;
		toll->ns = toll->votes = 0;
	}
	toll->ns += ns;
	toll__vote(toll, probe, ns);
	if (toll->ns < TM_TOLL_STEP_NS)
		return;
	cell = bpf_get_smp_processor_id() % TM_TOLL_CELLS;
	most = &tm_toll_cells[cell];
	if (most->window == window && toll->ns < most->ns + TM_TOLL_STEP_NS)
		return;
	most->window = window;
	most->ns = toll->ns;
	most->probe = toll->probe;
	most->thread = bpf_get_current_pid_tgid();
	most->job = scope__job();
}

/*
 * A system call that is looked at by the current thread; most have a state, others get one once in
 * a while, so that one that does nothing else is found. counted: it is an operation on files.
 */
TM_INLINE void toll__pay_call(struct tm_thread *thread, bool counted, u32 number)
{
	if (!toll__is_on())
		return;
	if (!thread && !(number % 1024))
		thread = thread__get();
	if (!thread)
		return;
	toll__pay(thread, counted && tm_config.hooks ? TM_TOLL_HOOK : TM_TOLL_TAP,
		  counted ? tm_toll_prices.vfs_ns : tm_toll_prices.looked_ns);
}

/* A hit of a probe on a library, by the current thread. */
static __attribute__((noinline)) int toll__pay_hit(u32 index, u32 ns)
{
	struct tm_thread *thread = thread__get();

	if (thread)
		toll__pay(thread, TM_PROBE_USER + index, ns);
	return 0;
}

#endif
