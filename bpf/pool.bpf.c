// SPDX-License-Identifier: GPL-2.0-only
#include "handle.bpf.h"
#include "pool.bpf.h"

/* The pools of a call: an array of structs, or one. */
struct told {
	u64 address;
	u32 probe;
	u32 pad;
};

TM_INLINE void read_field(struct tm_pool *pool, u64 address, const struct tm_operand *operand,
			  enum tm_pool_field field, u64 *value)
{
	if (operand->arg && operand__read_at(address, operand, value))
		pool->known |= 1 << field;
}

static long note(u32 i, struct told *told)
{
	struct tm_pool pool = { .probe = told->probe };
	struct tm_pool_key key = {};
	u32 index = told->probe;
	struct tm_probe *probe = bpf_map_lookup_elem(&tm_probes, &index);
	struct tm_pool_spec *spec;
	u64 address, type = 0;

	if (!probe)
		return 1;
	spec = &probe->spec.handle.pool;
	address = told->address + (u64)i * spec->stride;
	if (bpf_probe_read_user(key.id, sizeof(key.id), (void *)(address + spec->id.offset))) {
		handle__lose(TM_HANDLE_UNREADABLE);
		return 1;
	}
	key.layer = probe->layer;
	read_field(&pool, address, &spec->type, TM_POOL_TYPE, &type);
	read_field(&pool, address, &spec->capacity, TM_POOL_CAPACITY, &pool.capacity);
	pool.type = type;
	if (spec->name.arg && bpf_probe_read_user_str(pool.name, sizeof(pool.name),
						      (void *)(address + spec->name.offset)) > 0)
		pool.known |= 1 << TM_POOL_NAMED;
	if (bpf_map_update_elem(&tm_pools, &key, &pool, BPF_ANY))
		handle__lose(TM_HANDLE_NO_ENTRY);
	return 0;
}

/* A list says how many there are, and where; else there is one. False: it cannot be read. */
TM_INLINE bool find_array(const struct tm_pool_spec *spec, u64 *address, u64 *n)
{
	u64 list = *address;
	s32 count = 0;

	*n = 1;
	if (!spec->is_list)
		return true;
	if (bpf_probe_read_user(&count, sizeof(count), (void *)(list + spec->count)) ||
	    bpf_probe_read_user(address, sizeof(*address), (void *)(list + spec->items)))
		return false;
	*n = count > 0 ? count : 0;
	if (*n > TM_POOLS_OF_A_CALL)
		*n = TM_POOLS_OF_A_CALL;
	return true;
}

__attribute__((noinline)) int pool__learn(u32 index, u32 depth)
{
	struct tm_handle_call *call = handle__call(handle__calls(0), depth);
	struct tm_probe *probe = bpf_map_lookup_elem(&tm_probes, &index);
	struct told told = { .probe = index };
	u64 n;

	if (!call || !probe || !call->handle)
		return 0;
	if (bpf_probe_read_user(&told.address, sizeof(told.address), (void *)call->handle) ||
	    !find_array(&probe->spec.handle.pool, &told.address, &n)) {
		handle__lose(TM_HANDLE_UNREADABLE);
		return 0;
	}
	if (told.address)
		bpf_loop(n, note, &told, 0);
	return 0;
}
