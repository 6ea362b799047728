// SPDX-License-Identifier: GPL-2.0-only
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls/call_batch.h"
#include "tmtrace/spec.h"

_Static_assert(sizeof(struct call_batch_header) == 24, "as documented");
_Static_assert(sizeof(struct call_series) == 48, "as documented");
_Static_assert(sizeof(struct call_thread) == 24, "as documented");
_Static_assert(sizeof(struct tm_call) == 80, "as documented");
_Static_assert(sizeof(struct call_frame) == 16, "as documented");
_Static_assert(sizeof(struct tm_operation_record) == 152, "as documented");

/* What comes after the names. 0, or -EBADMSG. */
static int open_stacks(struct call_batch *batch, const void *data, size_t size)
{
	const struct call_stacks_header *header = data;
	size_t frames, words;

	if (size < sizeof(*header) || size % 8)
		return -EBADMSG;
	frames = header->n_frames * sizeof(struct call_frame);
	words = header->n_links + batch->n_calls;
	if (size != sizeof(*header) + frames + (words + 1) / 2 * 8)
		return -EBADMSG;
	batch->n_frames = header->n_frames;
	batch->n_links = header->n_links;
	batch->frames = (const void *)(header + 1);
	batch->links = (const void *)(batch->frames + batch->n_frames);
	batch->stack_of = batch->links + batch->n_links;
	return 0;
}

/* What comes last. */
static int open_operations(struct call_batch *batch, const void *data, size_t size)
{
	const struct call_operations_header *header = data;

	if (size < sizeof(*header))
		return -EBADMSG;
	batch->operations = (const void *)(header + 1);
	batch->n_operations = header->n;
	if (size != sizeof(*header) + batch->n_operations * sizeof(*batch->operations))
		return -EBADMSG;
	return 0;
}

int call_batch__open(struct call_batch *out, const void *data, size_t size)
{
	const struct call_batch_header *header = data;
	size_t series, threads, calls, stacks, known;
	const char *rest;
	int ret;

	if (size < sizeof(*header))
		return -EBADMSG;
	if (header->version < CALL_BATCH_VERSION || header->version > CALL_BATCH_VERSION_OPERATIONS)
		return -ENOTSUP;
	/* The numbers have 32 bits: no sum of them overflows. */
	series = header->n_series * sizeof(struct call_series);
	threads = header->n_threads * sizeof(struct call_thread);
	calls = header->n_calls * sizeof(struct tm_call);
	stacks = header->version >= CALL_BATCH_VERSION_STACKS ? header->stacks_bytes : 0;
	known = sizeof(*header) + series + threads + calls + header->names_bytes + stacks;
	if (size < known || (size > known && header->version < CALL_BATCH_VERSION_OPERATIONS))
		return -EBADMSG;
	*out = (struct call_batch){
		.data = data,
		.size = size,
		.n_series = header->n_series,
		.n_threads = header->n_threads,
		.n_calls = header->n_calls,
		.names_bytes = header->names_bytes,
	};
	out->series = (const void *)(header + 1);
	out->threads = (const void *)(out->series + out->n_series);
	out->calls = (const void *)(out->threads + out->n_threads);
	out->first = out->calls;
	out->names = (const void *)(out->calls + out->n_calls);
	rest = out->names + out->names_bytes;
	if ((stacks || size > known) && out->names_bytes % 8)
		return -EBADMSG;
	ret = stacks ? open_stacks(out, rest, stacks) : 0;
	if (ret == 0 && header->version >= CALL_BATCH_VERSION_OPERATIONS)
		ret = open_operations(out, rest + stacks, size - known);
	return ret;
}

static int compare_slots(const void *key, const void *item)
{
	const struct call_series *series = item;
	__u32 slot = *(const __u32 *)key;

	return slot < series->slot ? -1 : slot > series->slot;
}

static int compare_tids(const void *key, const void *item)
{
	const struct call_thread *thread = item;
	__u32 tid = *(const __u32 *)key;

	return tid < thread->tid ? -1 : tid > thread->tid;
}

const struct call_series *call_batch__series(const struct call_batch *batch, __u32 slot)
{
	return bsearch(&slot, batch->series, batch->n_series, sizeof(*batch->series),
		       compare_slots);
}

struct tm_series call_series__like(const struct call_series *series)
{
	struct tm_series like = { 0 };

	if (!series)
		return like;
	like.key = (struct tm_key){
		.job = series->job,
		.where = series->where,
		.function = series->function,
		.layer = series->layer,
		.flags = series->flags,
	};
	like.creator = series->creator;
	memcpy(like.label, series->label, sizeof(like.label));
	return like;
}

const char *call_batch__comm(const struct call_batch *batch, __u32 tid)
{
	const struct call_thread *thread = bsearch(&tid, batch->threads, batch->n_threads,
						   sizeof(*batch->threads), compare_tids);

	/* Of a damaged batch nothing is believed. */
	return thread && memchr(thread->comm, '\0', sizeof(thread->comm)) ? thread->comm : NULL;
}

const char *call_batch__u128(const struct tm_call *call, char *out, size_t room)
{
	__u64 high = call->object[0], low = call->object[1];

	if (call->flags & TM_CALL_BIG_ENDIAN) {
		high = be64toh(high);
		low = be64toh(low);
	}
	snprintf(out, room, "0x%llx:0x%llx", high, low);
	return out;
}

__u64 call_batch__queue_ns(const struct tm_call *call)
{
	return call->object[1] < call->duration_ns ? call->object[1] : call->duration_ns;
}

/* NULL: there is none, or it is empty. */
static const char *string_at(const struct call_batch *batch, __u64 at)
{
	if (at >= batch->names_bytes || !batch->names[at] ||
	    !memchr(batch->names + at, '\0', batch->names_bytes - at))
		return NULL;
	return batch->names + at;
}

const char *call_batch__name(const struct call_batch *batch, const struct tm_call *call)
{
	return call->object_kind == TM_OBJECT_STRING ? string_at(batch, call->object[0]) : NULL;
}

const char *call_batch__kind(const struct call_batch *batch,
			     const struct tm_operation_record *operation)
{
	return string_at(batch, operation->kind);
}

const char *call_batch__fate(const struct tm_operation_record *operation)
{
	static const char *const fates[] = {
		[TM_OPERATION_ABANDONED] = "abandoned", [TM_OPERATION_FORGOTTEN] = "forgotten",
		[TM_OPERATION_KILLED] = "killed",	[TM_OPERATION_NO_ENTRY] = "no_entry",
		[TM_OPERATION_LOSSES] = "complete",
	};

	return operation->loss <= TM_OPERATION_LOSSES ? fates[operation->loss] : "unknown";
}

bool call_batch__stack(const struct call_batch *batch, const struct tm_call *call,
		       struct call_stack *out)
{
	size_t at;

	if (!batch->stack_of)
		return false;
	at = batch->stack_of[call - batch->first];
	if (at >= batch->n_links)
		return false;
	out->n = batch->links[at];
	out->frames = &batch->links[at + 1];
	if (!out->n || out->n > TM_STACK_MAX || out->n > batch->n_links - at - 1)
		return false;
	for (size_t i = 0; i < out->n; i++)
		if (out->frames[i] >= batch->n_frames)
			return false;
	return true;
}

struct stack_frame call_batch__frame(const struct call_batch *batch, const struct call_stack *stack,
				     size_t i)
{
	const struct call_frame *frame = &batch->frames[stack->frames[i]];

	return (struct stack_frame){
		.function = string_at(batch, frame->function),
		.library = string_at(batch, frame->library),
		.place = frame->place,
	};
}
