/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counting VFS operations, whatever mechanism sees them: one operation is one system call, one
 * io_uring request or one AIO control block on a file.
 */
#ifndef BPF_VFS_BPF_H
#define BPF_VFS_BPF_H

#include "account.bpf.h"
#include "file.bpf.h"
#include "number.bpf.h"
#include "object.bpf.h"
#include "processes.bpf.h"
#include "recorder.bpf.h"

/* Does the operation return a number of bytes? */
TM_INLINE bool vfs__counts_bytes(u32 function)
{
	return function == TM_VFS_READ || function == TM_VFS_WRITE || function == TM_VFS_SPLICE ||
	       function == TM_VFS_COPY_RANGE;
}

TM_INLINE enum tm_direction vfs__direction(u32 function)
{
	if (function == TM_VFS_READ)
		return TM_DIRECTION_READ;
	return function == TM_VFS_WRITE ? TM_DIRECTION_WRITE : TM_DIRECTIONS;
}

/* Is nothing counted of it now? */
TM_INLINE bool vfs__is_off(u32 function)
{
	return *(volatile u32 *)&tm_off >> ((TM_PROBE_VFS + function) & 31) & 1;
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
	if (series__level(series) == TM_LEVEL_OFF) {
		ADD(ledger->filtered, 1);
		return TM_NO_SLOT;
	}
	ADD(series->in_flight, 1);
	return slot;
}

/* The same, or TM_NO_SLOT where it is off. */
TM_INLINE u32 vfs__begin(u64 job, u32 process, u32 function, struct file *file)
{
	if (vfs__is_off(function))
		return TM_NO_SLOT;
	return vfs__begin_in(function, file__slot(job, process, function, file));
}

/* It was not an operation after all, or not on a file. */
TM_INLINE void vfs__filter(u32 function)
{
	struct tm_ledger *ledger = ledger__of(TM_PROBE_VFS + function);

	if (ledger && !vfs__is_off(function)) {
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
TM_INLINE bool vfs__settle(u64 job, u32 process, u32 *function, u32 *slot, struct file *file)
{
	u32 settled;

	if (!file || file__kind(file) != FILE_FILE) {
		vfs__drop(*function, *slot, TM_LOSSES);
		return false;
	}
	if (*function == TM_VFS_OPEN && file__was_created(file)) {
		vfs__drop(TM_VFS_OPEN, *slot, TM_LOSSES);
		*function = TM_VFS_CREATE;
		*slot = vfs__begin(job, process, TM_VFS_CREATE, file);
		return *slot != TM_NO_SLOT;
	}
	settled = file__slot(job, process, *function, file);
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

/* An operation that vfs__end() has counted, by its file. */
TM_INLINE void vfs__count_object(struct operation *operation, s64 result)
{
	bool failed = result < 0 && result >= -4095;
	u32 function = operation->function;

	operation->layer = TM_LAYER_VFS;
	operation->direction = vfs__direction(function);
	operation->is_retry = failed && series__is_retry(-result);
	operation->has_failed = failed && !operation->is_retry;
	operation->is_sized = !failed && vfs__counts_bytes(function);
	operation->bytes = operation->is_sized ? result : 0;
	object__count(operation);
}

/* What a call's record has beside who made it and when. */
TM_INLINE void vfs__describe(struct tm_call *call, u32 function, s64 result)
{
	call->rc = result;
	call->flags = TM_CALL_RC;
	if (vfs__counts_bytes(function) && result >= 0) {
		call->bytes = result;
		call->flags |= TM_CALL_BYTES;
	}
}

/* An operation that vfs__end() has counted, as a single call: a system call, which ends now. */
static __attribute__((noinline)) int vfs__put_call(u32 function, u32 slot, u64 start_ns, u64 ns,
						   s64 result)
{
	struct tm_thread *thread = thread__find();
	struct tm_stack *stack = thread__find_stack();
	u64 ids = number__current();
	struct tm_call *call;
	u32 depth = 0;

	if (!thread) {
		RECORDER_PASS(TM_PROBE_VFS + function, busy);
		return 0;
	}
	call = &thread->event.call;
	__builtin_memset(call, 0, sizeof(*call));
	call->id = recorder__operation_id(thread);
	call->start_ns = start_ns;
	call->duration_ns = ns;
	call->pid = ids >> 32;
	call->tid = ids;
	call->slot = slot;
	vfs__describe(call, function, result);
	if (stack)
		call->parent = recorder__around(stack, &depth);
	call->depth = depth;
	return recorder__put(thread, TM_PROBE_VFS + function);
}

/* The same of a request of a process, which completed wherever this is: maybe in an interrupt. */
static __attribute__((noinline)) int vfs__put_request(const struct tm_request *request, u64 now,
						      s64 result)
{
	struct tm_call_fates *fates = recorder__fates(TM_PROBE_VFS + request->function);
	struct tm_thread *thread = thread__get();
	struct tm_call_event *event;
	u64 ns = now - request->start_ns;

	if (!fates)
		return 0;
	if (!thread) {
		ADD(fates->busy, 1);
		return 0;
	}
	if (!recorder__wants(fates, thread, request->slot, ns))
		return 0;
	event = bpf_ringbuf_reserve(&tm_calls, sizeof(*event), 0);
	if (!event) {
		recorder__lose(fates, sizeof(*event));
		return 0;
	}
	__builtin_memset(event, 0, sizeof(*event));
	event->call.id = recorder__id(thread);
	event->call.start_ns = request->start_ns;
	event->call.duration_ns = ns;
	event->call.pid = request->tgid;
	event->call.slot = request->slot;
	vfs__describe(&event->call, request->function, result);
	if (walk__is_on())
		recorder__stackless(TM_STACKLESS_ASYNC);
	ADD(fates->recorded, 1);
	bpf_ringbuf_submit(event, recorder__wakeup(sizeof(*event)));
	return 0;
}

/* By which file a request is to be counted; NULL: it names only a path. */
TM_INLINE void vfs__note_object(struct tm_request *request, struct file *file)
{
	request->object = file ? object__of_file(request->job, request->tgid, file)
			       : object__of_paths(request->job);
}

TM_INLINE void vfs__count_request(const struct tm_request *request, u64 now, s64 result)
{
	struct operation operation = {
		.object = request->object,
		.job = request->job,
		.start_ns = request->start_ns,
		.ns = now - request->start_ns,
		.offset = request->offset,
		.function = request->function,
	};

	vfs__count_object(&operation, result);
}

/* An operation that vfs__end() has counted, in the account of its process. */
TM_INLINE void vfs__account(struct tm_account *account, u32 function, u64 ns, s64 result)
{
	account__count_vfs(account, vfs__direction(function), ns, result,
			   vfs__counts_bytes(function));
}

/* Ends a request that is settled, and whose object is noted. */
TM_INLINE void vfs__end_request(const struct tm_request *request, u64 now, s64 result)
{
	struct tm_series *series =
		vfs__end(request->function, request->slot, now - request->start_ns, result);

	if (!series)
		return;
	if (account__is_on())
		vfs__account(account__of_process(&request->tgid), request->function,
			     now - request->start_ns, result);
	if (object__is_on())
		vfs__count_request(request, now, result);
	if (recorder__records(series))
		vfs__put_request(request, now, result);
}

#endif
