// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "calls/call_pack.h"
#include "tmtrace/spec.h"

/*
 * What was added last to the current batch, by the low bits of its number. Two that have the same
 * ones push each other out: then something is in the batch twice, which does no harm.
 */
#define CACHE 1024

struct cached {
	__u64 batch; /* in which it was added; 0: none */
	__u32 number;
};

struct call_pack {
	size_t room, used; /* bytes of a batch */
	__u64 batch;	   /* number of the current one, from 1 */
	struct tm_call *calls;
	struct call_series *series;
	struct call_thread *threads;
	char *names;
	size_t n_calls, n_series, n_threads, names_bytes;
	struct cached slots[CACHE], tids[CACHE];
	void *out;
};

/* An empty string is at offset 0. */
static void begin(struct call_pack *pack)
{
	pack->batch++;
	pack->n_calls = pack->n_series = pack->n_threads = 0;
	pack->names[0] = '\0';
	pack->names_bytes = 1;
	pack->used = sizeof(struct call_batch_header) + 8; /* the names, padded */
}

struct call_pack *call_pack__new(size_t bytes)
{
	struct call_pack *pack = bytes < CALL_PACK_MIN ? NULL : calloc(1, sizeof(*pack));

	if (!pack)
		return NULL;
	pack->room = bytes;
	pack->calls = malloc(bytes);
	pack->series = malloc(bytes);
	pack->threads = malloc(bytes);
	pack->names = malloc(bytes);
	pack->out = malloc(bytes);
	if (!pack->calls || !pack->series || !pack->threads || !pack->names || !pack->out) {
		call_pack__free(pack);
		return NULL;
	}
	begin(pack);
	return pack;
}

void call_pack__free(struct call_pack *pack)
{
	if (!pack)
		return;
	free(pack->calls);
	free(pack->series);
	free(pack->threads);
	free(pack->names);
	free(pack->out);
	free(pack);
}

/* Was it not added to this batch yet, as far as that is known? Now it is. */
static bool is_new(const struct call_pack *pack, struct cached *cache, __u32 number)
{
	struct cached *place = &cache[number % CACHE];

	if (place->batch == pack->batch && place->number == number)
		return false;
	*place = (struct cached){ pack->batch, number };
	return true;
}

static void add_series(struct call_pack *pack, __u32 slot, const struct tm_series *series)
{
	struct call_series *added;

	if (!is_new(pack, pack->slots, slot))
		return;
	added = &pack->series[pack->n_series++];
	*added = (struct call_series){
		.job = series->key.job,
		.where = series->key.where,
		.function = series->key.function,
		.layer = series->key.layer,
		.flags = series->key.flags,
		.slot = slot,
		.creator = series->creator,
	};
	memcpy(added->label, series->label, sizeof(added->label));
	pack->used += sizeof(*added);
}

static void add_thread(struct call_pack *pack, const struct tm_call *call, const char *comm)
{
	struct call_thread *added;

	if (!call->tid || !comm || !*comm || !is_new(pack, pack->tids, call->tid))
		return;
	added = &pack->threads[pack->n_threads++];
	*added = (struct call_thread){ .pid = call->pid, .tid = call->tid };
	memcpy(added->comm, comm, strnlen(comm, sizeof(added->comm) - 1));
	pack->used += sizeof(*added);
}

/* Its offset. */
static size_t add_name(struct call_pack *pack, const char *name, size_t length)
{
	size_t at = pack->names_bytes;

	if (!length)
		return 0;
	memcpy(pack->names + at, name, length);
	pack->names[at + length] = '\0';
	pack->names_bytes += length + 1;
	pack->used += length + 1;
	return at;
}

int call_pack__add(struct call_pack *pack, const struct tm_call *call,
		   const struct tm_series *series, const char *comm, const char *name)
{
	bool is_string = call->object_kind == TM_OBJECT_STRING;
	size_t length = is_string && name ? strnlen(name, TM_CALL_NAME - 1) : 0;
	struct tm_call *added;

	/* With all that may be new with it. */
	if (pack->used + sizeof(*call) + sizeof(struct call_series) + sizeof(struct call_thread) +
		    length + 1 >
	    pack->room)
		return -ENOSPC;
	add_series(pack, call->slot, series);
	add_thread(pack, call, comm);
	added = &pack->calls[pack->n_calls++];
	*added = *call;
	if (is_string) {
		added->object[0] = add_name(pack, name, length);
		added->object[1] = 0;
	}
	pack->used += sizeof(*call);
	return 0;
}

size_t call_pack__n(const struct call_pack *pack)
{
	return pack->n_calls;
}

static int compare_series(const void *left, const void *right)
{
	const struct call_series *a = left, *b = right;

	return a->slot < b->slot ? -1 : a->slot > b->slot;
}

static int compare_threads(const void *left, const void *right)
{
	const struct call_thread *a = left, *b = right;

	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

/* Copies n items to the end of what is there so far. */
static char *append(char *to, const void *items, size_t n, size_t size)
{
	memcpy(to, items, n * size);
	return to + n * size;
}

void call_pack__finish(struct call_pack *pack, struct call_batch *out)
{
	size_t names_bytes = (pack->names_bytes + 7) / 8 * 8;
	struct call_batch_header header = {
		.version = CALL_BATCH_VERSION,
		.n_series = (__u32)pack->n_series,
		.n_threads = (__u32)pack->n_threads,
		.n_calls = (__u32)pack->n_calls,
		.names_bytes = (__u32)names_bytes,
	};
	char *to = pack->out;

	qsort(pack->series, pack->n_series, sizeof(*pack->series), compare_series);
	qsort(pack->threads, pack->n_threads, sizeof(*pack->threads), compare_threads);
	memset(pack->names + pack->names_bytes, 0, names_bytes - pack->names_bytes);
	to = append(to, &header, 1, sizeof(header));
	to = append(to, pack->series, pack->n_series, sizeof(*pack->series));
	to = append(to, pack->threads, pack->n_threads, sizeof(*pack->threads));
	to = append(to, pack->calls, pack->n_calls, sizeof(*pack->calls));
	to = append(to, pack->names, names_bytes, 1);
	call_batch__open(out, pack->out, (size_t)(to - (char *)pack->out));
	begin(pack);
}
