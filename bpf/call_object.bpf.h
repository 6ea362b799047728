/* SPDX-License-Identifier: GPL-2.0-only */
/* What a call is about: taken at its entry, for its record and for counting by object. */
#ifndef BPF_CALL_OBJECT_BPF_H
#define BPF_CALL_OBJECT_BPF_H

#include "frame.bpf.h"
#include "handle.bpf.h"
#include "number.bpf.h"
#include "object.bpf.h"
#include "operand.bpf.h"
#include "thread.bpf.h"

/* What is recorded of the call whose frame has that index; NULL: there is no memory for it. */
TM_INLINE struct tm_described *call__described(u32 index, u64 flags)
{
	struct tm_descriptions *all =
		bpf_task_storage_get(&tm_described, bpf_get_current_task_btf(), NULL, flags);

	return all ? TM_OF_FRAME(all->at, index) : NULL;
}

/*
 * What is recorded of a single call at entry: which call is around it, and what it is about. A
 * string is read at return.
 */
static __attribute__((noinline)) int call__describe(const struct pt_regs *regs,
						    struct tm_stack *stack,
						    const struct tm_object_spec *object)
{
	struct tm_frame *around = frame__at(stack, stack->depth - 1);
	struct tm_described *described =
		call__described(stack->depth, BPF_LOCAL_STORAGE_GET_F_CREATE);
	u64 a = 0;

	if (!described)
		return 0;
	described->parent = around ? frame__call_id(around) : 0;
	described->object[0] = described->object[1] = 0;
	if (!operand__read(regs, &object->a, &a))
		return 0;
	if (object->kind == TM_OBJECT_U128)
		bpf_probe_read_user(described->object, sizeof(described->object), (void *)a);
	else
		described->object[0] = a;
	return 0;
}

/* Are calls of the function counted by their object? */
TM_INLINE bool call__has_object(const struct tm_spec *spec)
{
	return object__is_on() && spec->object.kind != TM_OBJECT_NONE;
}

/*
 * The id of a name: two hashes of its words, each as FNV-1a does it with bytes, with different
 * primes. What follows its end is 0.
 */
static __attribute__((noinline)) int call__hash_name(const struct tm_name_words *name,
						     struct tm_object_key *key)
{
	u64 a = 0xcbf29ce484222325ULL, b = a;

	for (int i = 0; i < TM_NAME_WORDS; i++) {
		a = (a ^ name->word[i]) * 0x100000001b3ULL;
		b = (b ^ name->word[i]) * 0x9e3779b97f4a7c15ULL;
		a ^= a >> 32;
		b ^= b >> 29;
	}
	key->id[0] = a;
	key->id[1] = b;
	return 0;
}

/*
 * The object of the innermost call; false: it cannot be told. One known by a handle that has a name
 * is the same as the one of that name.
 */
TM_INLINE bool call__object_key(const struct tm_object_spec *spec, u32 depth,
				struct tm_object_key *key, const struct tm_name_words **name)
{
	struct tm_descriptions *all =
		bpf_task_storage_get(&tm_described, bpf_get_current_task_btf(), NULL, 0);
	struct tm_described *described = call__described(depth, 0);

	/* 0 is none: a NULL pointer, no handle. */
	if (!all || !described || !(described->object[0] | described->object[1]))
		return false;
	key->what = spec->kind;
	key->tgid = number__current_tgid();
	if (spec->kind == TM_OBJECT_STRING || spec->kind == TM_OBJECT_HANDLE) {
		if (!handle__name(&all->naming, spec->kind, key->layer, described->object[0])) {
			key->what = TM_OBJECT_STRING;
			*name = &all->naming.name;
			return !call__hash_name(&all->naming.name, key);
		}
		if (spec->kind == TM_OBJECT_STRING)
			return false;
		key->what = TM_OBJECT_VALUE;
	}
	for (int i = 0; i < 2; i++)
		key->id[i] = spec->big_endian ? __builtin_bswap64(described->object[i])
					      : described->object[i];
	return true;
}

/* Counts the innermost call, which ends, by its object; what is not known of it is filled in. */
static __attribute__((noinline)) int call__count_object(const struct tm_frame *frame,
							struct operation *operation)
{
	struct tm_probe *probe = bpf_map_lookup_elem(&tm_probes, &frame->probe);
	struct tm_stack *stack = thread__find_stack();
	struct tm_object_key key = { .job = operation->job };
	const struct tm_name_words *name = NULL;

	if (!probe || !stack)
		return 0;
	key.layer = operation->layer = probe->layer;
	operation->direction = probe->spec.access == TM_ACCESS_READ    ? TM_DIRECTION_READ
			       : probe->spec.access == TM_ACCESS_WRITE ? TM_DIRECTION_WRITE
								       : TM_DIRECTIONS;
	if (!call__object_key(&probe->spec.object, stack->depth - 1, &key, &name))
		return 0;
	operation->object = object__ref(object__find(&key, 0, name));
	return object__count(operation);
}

#endif
