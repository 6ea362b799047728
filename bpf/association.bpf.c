// SPDX-License-Identifier: GPL-2.0-only
#include "association.bpf.h"
#include "handle.bpf.h"
#include "number.bpf.h"
#include "processes.bpf.h"
#include "series.bpf.h"

/* What a process calls itself when it joins. */
TM_INLINE void note_names(u32 number, u32 depth)
{
	struct tm_handle_call *call = handle__call(handle__calls(0), depth);
	struct tm_process *process = bpf_map_lookup_elem(&tm_processes, &number);

	if (!call || !process)
		return;
	if (call->name)
		bpf_probe_read_user_str(process->workflow, sizeof(process->workflow),
					(void *)call->name);
	if (call->key)
		bpf_probe_read_user_str(process->component, sizeof(process->component),
					(void *)call->key);
}

/* The time since it joined is counted beside the calls that join. */
TM_INLINE void join(u32 tgid, u32 depth, u32 slot)
{
	struct tm_association association = { .joined_ns = bpf_ktime_get_ns() };
	struct tm_series *series = series__at(slot);
	struct tm_key key;

	if (!series)
		return;
	key = series->key;
	note_names(key.process, depth);
	key.flags |= TM_KEY_ASSOCIATION;
	association.slot = series__find(&key);
	series = series__at(association.slot);
	if (!series)
		return;
	process__note_submitter(tgid);
	/* Who has joined and joins again is in it as before. */
	if (!bpf_map_update_elem(&tm_associations, &tgid, &association, BPF_NOEXIST))
		ADD(series->in_flight, 1);
}

TM_INLINE void leave(u32 tgid, u64 now)
{
	struct tm_association *found = bpf_map_lookup_elem(&tm_associations, &tgid), association;
	struct tm_series *series;

	if (!found)
		return;
	association = *found;
	if (bpf_map_delete_elem(&tm_associations, &tgid))
		return;
	series = series__at(association.slot);
	if (!series)
		return;
	series__time(series, association.slot, now - association.joined_ns);
	ADD(series->in_flight, -1ULL);
}

__attribute__((noinline)) int association__call(u32 index, u32 depth, u32 slot, u64 ns)
{
	struct tm_probe *probe = bpf_map_lookup_elem(&tm_probes, &index);
	u32 tgid = number__current_tgid();

	if (!probe)
		return 0;
	if (probe->spec.handle.does & TM_HANDLE_JOINS)
		join(tgid, depth, slot);
	else if (probe->spec.handle.does & TM_HANDLE_LEAVES)
		leave(tgid, bpf_ktime_get_ns() - ns); /* as it began to */
	return 0;
}

__attribute__((noinline)) int association__sweep(u32 tgid)
{
	leave(tgid, bpf_ktime_get_ns());
	return 0;
}
