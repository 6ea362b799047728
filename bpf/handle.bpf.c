// SPDX-License-Identifier: GPL-2.0-only
#include "handle.bpf.h"
#include "name.bpf.h"
#include "number.bpf.h"
#include "processes.bpf.h"
#include "series.bpf.h"

__attribute__((noinline)) int handle__name(struct tm_naming *naming, u32 kind, u32 layer,
					   u64 object)
{
	struct tm_handle *known;

	if (!naming)
		return -1;
	if (kind == TM_OBJECT_STRING)
		return name__read(naming, object);
	if (!tm_config.handles)
		return -1;
	known = handle__find(object, layer);
	if (!known || !known->name.word[0])
		return -1;
	naming->name = known->name;
	return 0;
}

/* Of its own: the verifier would look at what follows once for each class. */
__attribute__((noinline)) u32 handle__class(u64 size)
{
	return tm_object_size_class(size);
}

/*
 * Counts a call by the size of its object, beside the series of its function. Global, as is what
 * settles: the verifier looks at it once, and not on each of the ways that lead here.
 */
__attribute__((noinline)) int handle__count(const struct tm_handle *handle, u32 layer, u32 function,
					    u64 ns)
{
	struct tm_key key = {
		.where = TM_OBJECT_SIZES,
		.function = function,
		.layer = layer,
		.flags = TM_KEY_BY_SIZE,
	};
	struct tm_series *series;
	u64 size;
	u32 slot;

	if (!handle)
		return 0;
	key.job = handle->job;
	key.process = handle->process;
	size = handle->size;
	if (size != TM_NO_SIZE)
		key.where = handle__class(size);
	slot = series__find(&key);
	series = series__at(slot);
	if (!series) {
		handle__lose(TM_HANDLE_NO_ENTRY);
		return 0;
	}
	series__time(series, slot, ns);
	if (size != TM_NO_SIZE)
		series__size(series, slot, size);
	return 0;
}

/* Counts the calls that waited for the object's size: it is known, or will never be. */
__attribute__((noinline)) int handle__settle(struct tm_handle *handle, u32 layer)
{
	u32 n;

	if (!handle)
		return 0;
	n = __sync_fetch_and_and(&handle->n_waiting, 0);
	for (u32 i = 0; i < TM_HANDLE_WAITING; i++) {
		struct tm_sized_call *call = &handle->waiting[i];

		if (i < n)
			handle__count(handle, layer, call->function, call->ns);
	}
	return 0;
}

/* A call whose object's size may not be known yet. */
TM_INLINE void count(struct tm_handle *handle, u32 layer, u32 function, u64 ns)
{
	u64 place;

	if (handle->size == TM_NO_SIZE) {
		place = __sync_fetch_and_add(&handle->n_waiting, 1);
		TM_PIN(place);
		if (place < TM_HANDLE_WAITING) {
			handle->waiting[place].function = function;
			handle->waiting[place].ns = ns;
			return;
		}
	}
	handle__count(handle, layer, function, ns);
}

/* Notes an object that nothing was known of, in calls->fresh.name its name. */
static __attribute__((noinline)) struct tm_handle *make(struct tm_handle_calls *calls, u32 slot,
							u64 handle, u32 layer)
{
	struct tm_handle_key key = { handle, number__current_tgid(), layer };
	struct tm_series *series = series__at(slot);
	struct tm_handle *fresh = &calls->fresh;

	fresh->born_ns = bpf_ktime_get_ns();
	fresh->size = TM_NO_SIZE;
	fresh->job = series ? series->key.job : 0;
	fresh->process = series ? series->key.process : 0;
	fresh->n_waiting = 0;
	process__note_submitter(key.tgid);
	if (bpf_map_update_elem(&tm_handles, &key, fresh, BPF_ANY))
		handle__lose(TM_HANDLE_NO_ENTRY);
	return bpf_map_lookup_elem(&tm_handles, &key);
}

/* The same where something may be known. */
TM_INLINE struct tm_handle *find_or_make(struct tm_handle_calls *calls, u32 slot, u64 handle,
					 u32 layer)
{
	struct tm_handle *known = handle__find(handle, layer);

	if (known)
		return known;
	__builtin_memset(&calls->fresh.name, 0, sizeof(calls->fresh.name));
	return make(calls, slot, handle, layer);
}

/* A handle stands for a new object from now on. */
TM_INLINE struct tm_handle *name_it(struct tm_handle_calls *calls, u64 name, u32 slot, u64 handle,
				    u32 layer)
{
	if (name__read(&calls->naming, name))
		handle__lose(TM_HANDLE_UNREADABLE);
	calls->fresh.name = calls->naming.name;
	return make(calls, slot, handle, layer);
}

/* Does a call that tells the value of a key tell that of the size? */
TM_INLINE bool is_about_size(struct tm_naming *naming, const struct tm_handle_spec *spec, u64 key)
{
	const u64 *wanted = spec->is, *found = naming->piece.word;
	bool same = true;

	if (!spec->key.arg)
		return true;
	__builtin_memset(&naming->piece, 0, sizeof(naming->piece));
	if (bpf_probe_read_user_str(&naming->piece, TM_HANDLE_KEY, (void *)key) <= 0) {
		handle__lose(TM_HANDLE_UNREADABLE);
		return false;
	}
	for (u32 i = 0; i < TM_HANDLE_KEY_WORDS; i++)
		same &= wanted[i] == found[i];
	return same;
}

/* TM_NO_SIZE: it tells none. */
TM_INLINE u64 size_of(struct tm_naming *naming, const struct tm_handle_spec *spec,
		      const struct tm_handle_call *call)
{
	u64 at = call->size, size = TM_NO_SIZE;

	if (!at || !is_about_size(naming, spec, call->key))
		return TM_NO_SIZE;
	if ((spec->does & TM_HANDLE_INDIRECT && bpf_probe_read_user(&at, sizeof(at), (void *)at)) ||
	    !operand__read_memory(at, &spec->size, &size)) {
		handle__lose(TM_HANDLE_UNREADABLE);
		return TM_NO_SIZE;
	}
	return (s64)size < 0 ? TM_NO_SIZE : size;
}

/* The handle that the call is about; 0: none, or it cannot be read. */
TM_INLINE u64 handle_of(const struct tm_handle_spec *spec, const struct tm_handle_call *call)
{
	u64 handle = 0;

	if (!(spec->does & TM_HANDLE_NAMES))
		return call->handle;
	if (bpf_probe_read_user(&handle, sizeof(handle), (void *)call->handle))
		handle__lose(TM_HANDLE_UNREADABLE);
	return handle;
}

__attribute__((noinline)) int handle__learn(u32 index, u32 depth, u32 slot, u64 ns)
{
	struct tm_handle_calls *calls = handle__calls(0);
	struct tm_handle_spec *spec;
	struct tm_handle_call *call;
	struct tm_handle *known;
	struct tm_probe *probe;
	u64 handle, size;

	if (!calls)
		return 0;
	probe = bpf_map_lookup_elem(&tm_probes, &index);
	call = handle__call(calls, depth);
	if (!probe || !call)
		return 0;
	spec = &probe->spec.handle;
	handle = handle_of(spec, call);
	if (!handle)
		return 0;
	size = spec->does & TM_HANDLE_SIZES ? size_of(&calls->naming, spec, call) : TM_NO_SIZE;
	if (spec->does & TM_HANDLE_NAMES)
		known = name_it(calls, call->name, slot, handle, probe->layer);
	else if (size != TM_NO_SIZE || spec->does & TM_HANDLE_BY_SIZE)
		known = find_or_make(calls, slot, handle, probe->layer);
	else
		return 0;
	if (!known)
		return 0;
	if (size != TM_NO_SIZE) {
		known->size = size;
		handle__settle(known, probe->layer);
	}
	if (spec->does & TM_HANDLE_BY_SIZE)
		count(known, probe->layer, probe->function, ns);
	return 0;
}

__attribute__((noinline)) int handle__drop(u32 index, u32 depth)
{
	struct tm_handle_call *call;
	struct tm_handle_key key = {};
	struct tm_handle *known;
	struct tm_probe *probe = bpf_map_lookup_elem(&tm_probes, &index);

	call = handle__call(handle__calls(0), depth);
	if (!probe || !call || !(probe->spec.handle.does & TM_HANDLE_DROPS))
		return 0;
	key.handle = call->handle;
	key.tgid = number__current_tgid();
	key.layer = probe->layer;
	known = bpf_map_lookup_elem(&tm_handles, &key);
	/* Another thread may have been given the same one meanwhile. */
	if (!known || known->born_ns != call->born_ns)
		return 0;
	handle__settle(known, key.layer);
	bpf_map_delete_elem(&tm_handles, &key);
	return 0;
}

static long sweep_one(void *map, struct tm_handle_key *key, struct tm_handle *handle, u32 *tgid)
{
	if (key->tgid != *tgid)
		return 0;
	handle__settle(handle, key->layer);
	bpf_map_delete_elem(map, key);
	return 0;
}

__attribute__((noinline)) int handle__sweep(u32 tgid)
{
	bpf_for_each_map_elem(&tm_handles, sweep_one, &tgid, 0);
	return 0;
}
