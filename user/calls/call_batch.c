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

int call_batch__open(struct call_batch *out, const void *data, size_t size)
{
	const struct call_batch_header *header = data;
	size_t series, threads, calls;

	if (size < sizeof(*header))
		return -EBADMSG;
	if (header->version != CALL_BATCH_VERSION)
		return -ENOTSUP;
	/* The numbers have 32 bits: no sum of them overflows. */
	series = header->n_series * sizeof(struct call_series);
	threads = header->n_threads * sizeof(struct call_thread);
	calls = header->n_calls * sizeof(struct tm_call);
	if (size != sizeof(*header) + series + threads + calls + header->names_bytes)
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
	out->names = (const void *)(out->calls + out->n_calls);
	return 0;
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

const char *call_batch__name(const struct call_batch *batch, const struct tm_call *call)
{
	__u64 at = call->object[0];

	if (call->object_kind != TM_OBJECT_STRING || at >= batch->names_bytes)
		return NULL;
	if (!batch->names[at] || !memchr(batch->names + at, '\0', batch->names_bytes - at))
		return NULL;
	return batch->names + at;
}
