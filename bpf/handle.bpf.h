/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects known by handle, as the catalogue says which calls give one a name, tell its size and
 * give it up. Where no traced layer has such calls, nothing of this is left in the programs: the
 * verifier drops what depends on tm_config.handles and tm_config.pools.
 */
#ifndef BPF_HANDLE_BPF_H
#define BPF_HANDLE_BPF_H

#include "number.bpf.h"
#include "operand.bpf.h"
#include "series.bpf.h"

/*
 * A call of a probe ended and did not fail, whose frame is at index depth: what it tells of its
 * object. slot: of its series; ns: how long it took. Not inlined: it is long.
 */
int handle__learn(u32 probe, u32 depth, u32 slot, u64 ns);
/* Its object is given up, if it does that: after all else. */
int handle__drop(u32 probe, u32 depth);
/*
 * How the object of a call is named, into naming->name; kind and object as in struct tm_call. -1:
 * it is not, or the name cannot be read. Of its own for the verifier, as those above.
 */
int handle__name(struct tm_naming *naming, u32 kind, u32 layer, u64 object);
/*
 * Of the module itself: the class of a size, a call by the size of its object, and those that have
 * waited for it.
 */
u32 handle__class(u64 size);
int handle__count(const struct tm_handle *handle, u32 layer, u32 function, u64 ns);
int handle__settle(struct tm_handle *handle, u32 layer);
/* Objects of a process that is over. */
int handle__sweep(u32 tgid);

TM_INLINE bool handle__concerns(const struct tm_spec *spec)
{
	return (tm_config.handles || tm_config.pools) && spec->handle.does;
}

TM_INLINE void handle__lose(enum tm_handle_loss loss)
{
	ADD(tm_handles_lost[loss], 1);
}

TM_INLINE struct tm_handle_calls *handle__calls(u64 flags)
{
	return bpf_task_storage_get(&tm_handle_calls, bpf_get_current_task_btf(), NULL, flags);
}

TM_INLINE struct tm_handle_call *handle__call(struct tm_handle_calls *calls, u32 index)
{
	return calls ? TM_OF_FRAME(calls->at, index) : NULL;
}

/* What is known of an object of the current process; NULL: nothing. */
TM_INLINE struct tm_handle *handle__find(u64 handle, u32 layer)
{
	struct tm_handle_key key = { handle, number__current_tgid(), layer };

	return bpf_map_lookup_elem(&tm_handles, &key);
}

/* A timed call begins that is the one at index depth in its thread. */
static __attribute__((noinline)) int handle__open(const struct pt_regs *regs, u32 depth, u32 index)
{
	struct tm_handle_call *call =
		handle__call(handle__calls(BPF_LOCAL_STORAGE_GET_F_CREATE), depth);
	struct tm_probe *probe = bpf_map_lookup_elem(&tm_probes, &index);
	struct tm_handle_spec *spec;
	struct tm_handle_key key;
	struct tm_handle *known;

	if (!call || !probe)
		return 0;
	spec = &probe->spec.handle;
	__builtin_memset(call, 0, sizeof(*call));
	operand__read(regs, &spec->name, &call->name);
	operand__read(regs, &spec->key, &call->key);
	if (spec->does & (TM_HANDLE_NAMES | TM_HANDLE_POOLS)) {
		call->handle = operand__address(regs, &spec->handle);
		return 0;
	}
	operand__read(regs, &spec->handle, &call->handle);
	if (spec->does & TM_HANDLE_SIZES && !operand__is_null(regs, &spec->size))
		call->size = operand__address(regs, &spec->size);
	if (spec->does & TM_HANDLE_DROPS) {
		key = (struct tm_handle_key){ call->handle, number__current_tgid(), probe->layer };
		known = bpf_map_lookup_elem(&tm_handles, &key);
		call->born_ns = known ? known->born_ns : 0;
	}
	return 0;
}

#endif
