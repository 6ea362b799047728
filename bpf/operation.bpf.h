/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asynchronous operations, as the catalogue's roles tell which calls launch, look at, complete and
 * give them up. One is in the table from before its launch, as it may be complete before the call
 * returns that launches it; by whom, and for which job, is what holds then.
 */
#ifndef BPF_OPERATION_BPF_H
#define BPF_OPERATION_BPF_H

#include "number.bpf.h"
#include "operand.bpf.h"
#include "operation_record.bpf.h"
#include "series.bpf.h"

/* An operation and what happens to it, as long as a call of ours goes on. */
struct operation_event {
	struct tm_operation_key key;
	u64 now;
	u64 number; /* launch: bytes, launched: its time; else the result */
	s64 rc;	    /* completion: the result, as the library says it */
	u32 slot;
	u32 tid;
	u32 probe; /* launch: by which function, and how deep its call is in its thread */
	u32 depth;
	u8 failed;     /* launched: the call; else the operation */
	u8 polled;     /* its completion was looked for */
	u8 has_result; /* rc */
	u8 pad;
	u32 items; /* launch: number is the address of so many; 0: it is not */
};

/* Each returns 0, operation__launch() 1 if it is a launch to be followed. None is inlined. */
int operation__launch(struct operation_event *event);
int operation__launched(struct operation_event *event);
int operation__finish(struct operation_event *event);
int operation__expect(struct operation_event *event, struct tm_operation_key *step);
int operation__forget(struct operation_event *event);
/* The call of a frame ends, which is the one at index depth. Kernels before 6.13 have 512 bytes of
 * stack for all the functions that are inside one another here. */
int operation__leave(struct tm_frame *frame, u32 depth, u64 duration, bool failed);
/* Those of a process that is over. */
int operation__sweep(u32 tgid);

TM_INLINE struct tm_opening *operation__opening(u32 index, u64 flags)
{
	struct tm_openings *all =
		bpf_task_storage_get(&tm_openings, bpf_get_current_task_btf(), NULL, flags);

	return all ? TM_OF_FRAME(all->at, index) : NULL;
}

/* Is the result that of a failure? Then *code is its errno. */
TM_INLINE bool operation__failed(const struct tm_role *role, s64 result, u64 *code)
{
	*code = role->flags & TM_ROLE_POSITIVE ? result : -result;
	return (s64)*code > 0;
}

/* What happens at the entry of a function, whether its call can be timed or not. */
static __attribute__((noinline)) int operation__enter(const struct pt_regs *regs, u32 index,
						      u32 layer)
{
	struct tm_probe *probe = bpf_map_lookup_elem(&tm_probes, &index);
	struct operation_event event = { .key.layer = layer, .now = bpf_ktime_get_ns() };
	struct tm_operation_key step = {};
	struct tm_role *role;
	u64 result = 0;

	if (!probe)
		return 0;
	role = &probe->spec.role;
	if (role->kind == TM_ROLE_LAUNCH || role->kind == TM_ROLE_POLL)
		return 0;
	if (!operand__read(regs, &role->operation, &event.key.address) || !event.key.address)
		return 0;
	event.key.tgid = step.tgid = number__current_tgid();
	if (role->kind == TM_ROLE_FORGET)
		return operation__forget(&event);
	if (role->kind == TM_ROLE_STEP) {
		step.layer = role->layer;
		if (operand__read(regs, &role->other, &step.address) && step.address)
			operation__expect(&event, &step);
		return 0;
	}
	if (role->result.arg == TM_ARG_BASE)
		event.has_result = operand__read_at(event.key.address, &role->result, &result);
	else
		event.has_result = operand__read(regs, &role->result, &result) && role->result.arg;
	event.rc = result;
	event.failed = operation__failed(role, result, &event.number);
	return operation__finish(&event);
}

/* A timed call begins that is the one at index in its thread; size: what it said, if at entry. */
static __attribute__((noinline)) int operation__open(const struct pt_regs *regs, u32 depth,
						     u32 index, struct tm_key *key, u64 size)
{
	struct tm_probe *probe = bpf_map_lookup_elem(&tm_probes, &index);
	u64 ids = number__current();
	struct operation_event event = {
		.number = TM_SIZE_ABSENT,
		.tid = ids,
		.probe = index,
		.depth = depth,
	};
	struct tm_opening *opening;
	struct tm_role *role;
	u8 kind;

	if (!probe || !key)
		return 0;
	role = &probe->spec.role;
	if (role->kind != TM_ROLE_LAUNCH && role->kind != TM_ROLE_POLL)
		return 0;
	opening = operation__opening(depth, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!opening)
		return 0;
	opening->address = 0;
	if (role->kind == TM_ROLE_POLL) {
		opening->number = 1;
		if (!role->other.arg)
			operand__read(regs, &role->operation, &opening->address);
		else if (operand__read(regs, &role->count, &opening->number))
			operand__read(regs, &role->other, &opening->address);
		return 0;
	}
	if (!operand__read(regs, &role->operation, &event.key.address) || !event.key.address)
		return 0;
	kind = probe->spec.size.kind;
	if (kind == TM_SIZE_VALUE || kind == TM_SIZE_PRODUCT || kind == TM_SIZE_SUM)
		event.number = size;
	else if (kind == TM_SIZE_BROUGHT)
		event.items = size__items(regs, &probe->spec.size, &event.number);
	if (kind == TM_SIZE_BROUGHT && !event.items)
		event.number = TM_SIZE_ABSENT;
	key->flags |= TM_KEY_OPERATION; /* no copy: the stack is full */
	event.slot = series__find(key);
	key->flags &= ~TM_KEY_OPERATION;
	event.key.tgid = ids >> 32;
	event.key.layer = key->layer;
	event.now = bpf_ktime_get_ns();
	if (!operation__launch(&event))
		return 0;
	opening->address = event.key.address;
	opening->number = event.now;
	opening->slot = event.slot;
	return 0;
}

#endif
