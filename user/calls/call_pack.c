// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "calls/call_pack.h"
#include "calls/name_pack.h"
#include "calls/stack_pack.h"
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
	size_t room; /* bytes of a batch */
	struct job_map jobs;
	__u64 batch; /* number of the current one, from 1 */
	struct tm_call *calls;
	struct tm_operation_record *operations;
	struct call_series *series;
	struct call_thread *threads;
	struct name_pack *names;
	struct stack_pack *stacks; /* NULL: without */
	size_t n_calls, n_operations, n_series, n_threads;
	struct cached slots[CACHE], tids[CACHE];
	void *out;
};

static void begin_batch(struct call_pack *pack)
{
	pack->batch++;
	pack->n_calls = pack->n_operations = pack->n_series = pack->n_threads = 0;
	name_pack__begin(pack->names);
	if (pack->stacks)
		stack_pack__begin(pack->stacks);
}

/* Of the batch as it is now. */
static size_t size_of(const struct call_pack *pack)
{
	return sizeof(struct call_batch_header) + pack->n_series * sizeof(*pack->series) +
	       pack->n_threads * sizeof(*pack->threads) + pack->n_calls * sizeof(*pack->calls) +
	       name_pack__n(pack->names) + (pack->stacks ? stack_pack__n(pack->stacks) : 0) +
	       sizeof(struct call_operations_header) +
	       pack->n_operations * sizeof(*pack->operations);
}

struct call_pack *call_pack__new(size_t bytes, bool stacks)
{
	struct call_pack *pack = bytes < CALL_PACK_MIN ? NULL : calloc(1, sizeof(*pack));

	if (!pack)
		return NULL;
	pack->room = bytes;
	pack->calls = malloc(bytes);
	pack->operations = malloc(bytes);
	pack->series = malloc(bytes);
	pack->threads = malloc(bytes);
	pack->names = name_pack__new(bytes);
	pack->stacks = stacks ? stack_pack__new(bytes) : NULL;
	pack->out = malloc(bytes);
	if (!pack->calls || !pack->operations || !pack->series || !pack->threads || !pack->names ||
	    !pack->out || (stacks && !pack->stacks)) {
		call_pack__free(pack);
		return NULL;
	}
	begin_batch(pack);
	return pack;
}

void call_pack__map_jobs(struct call_pack *pack, const struct job_map *jobs)
{
	pack->jobs = *jobs;
}

void call_pack__free(struct call_pack *pack)
{
	if (!pack)
		return;
	free(pack->calls);
	free(pack->operations);
	free(pack->series);
	free(pack->threads);
	name_pack__free(pack->names);
	stack_pack__free(pack->stacks);
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
		.job = job_map__of(&pack->jobs, series->key.job),
		.where = series->key.where,
		.function = series->key.function,
		.layer = series->key.layer,
		.flags = series->key.flags,
		.slot = slot,
		.creator = series->creator,
	};
	memcpy(added->label, series->label, sizeof(added->label));
}

static void add_thread(struct call_pack *pack, const struct tm_call *call, const char *comm)
{
	struct call_thread *added;

	if (!call->tid || !comm || !*comm || !is_new(pack, pack->tids, call->tid))
		return;
	added = &pack->threads[pack->n_threads++];
	*added = (struct call_thread){ .pid = call->pid, .tid = call->tid };
	memcpy(added->comm, comm, strnlen(comm, sizeof(added->comm) - 1));
}

int call_pack__add(struct call_pack *pack, const struct tm_call *call,
		   const struct tm_series *series, const char *comm, const char *name,
		   const struct stack *stack)
{
	bool is_string = call->object_kind == TM_OBJECT_STRING;
	size_t length = is_string && name ? strnlen(name, TM_CALL_NAME - 1) : 0;
	size_t more = sizeof(*call) + sizeof(struct call_series) + sizeof(struct call_thread);
	struct tm_call *added;

	/* With all that may be new with it, and what pads the names. */
	more += length + 1 + 8 + (pack->stacks ? stack_pack__cost(pack->stacks, stack) : 0);
	if (size_of(pack) + more > pack->room)
		return -ENOSPC;
	add_series(pack, call->slot, series);
	add_thread(pack, call, comm);
	added = &pack->calls[pack->n_calls++];
	*added = *call;
	if (is_string) {
		added->object[0] = name_pack__add(pack->names, name, length);
		added->object[1] = 0;
	}
	if (pack->stacks)
		stack_pack__add(pack->stacks, stack, pack->names);
	return 0;
}

int call_pack__add_operation(struct call_pack *pack, const struct tm_operation_record *operation,
			     const struct tm_series *series, const char *comm, const char *kind)
{
	size_t more = sizeof(*operation) + sizeof(struct call_series) + sizeof(struct call_thread);
	struct tm_operation_record *added;

	/* Its kind may be new with it, and what pads the names. */
	more += (kind ? strlen(kind) + 1 : 0) + 8;
	if (size_of(pack) + more > pack->room)
		return -ENOSPC;
	add_series(pack, operation->call.slot, series);
	add_thread(pack, &operation->call, comm);
	added = &pack->operations[pack->n_operations++];
	*added = *operation;
	added->kind = name_pack__share(pack->names, kind);
	return 0;
}

size_t call_pack__n(const struct call_pack *pack)
{
	return pack->n_calls + pack->n_operations;
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
	size_t names_bytes;
	const char *names = name_pack__bytes(pack->names, &names_bytes);
	struct call_batch_header header = {
		.version = pack->n_operations ? CALL_BATCH_VERSION_OPERATIONS
			   : pack->stacks     ? CALL_BATCH_VERSION_STACKS
					      : CALL_BATCH_VERSION,
		.n_series = (__u32)pack->n_series,
		.n_threads = (__u32)pack->n_threads,
		.n_calls = (__u32)pack->n_calls,
		.names_bytes = (__u32)names_bytes,
		.stacks_bytes = pack->stacks ? (__u32)stack_pack__n(pack->stacks) : 0,
	};
	char *to = pack->out;

	qsort(pack->series, pack->n_series, sizeof(*pack->series), compare_series);
	qsort(pack->threads, pack->n_threads, sizeof(*pack->threads), compare_threads);
	to = append(to, &header, 1, sizeof(header));
	to = append(to, pack->series, pack->n_series, sizeof(*pack->series));
	to = append(to, pack->threads, pack->n_threads, sizeof(*pack->threads));
	to = append(to, pack->calls, pack->n_calls, sizeof(*pack->calls));
	to = append(to, names, names_bytes, 1);
	if (pack->stacks)
		to = stack_pack__put(pack->stacks, to);
	if (pack->n_operations) {
		const struct call_operations_header operations = { .n = (__u32)pack->n_operations };

		to = append(to, &operations, 1, sizeof(operations));
		to = append(to, pack->operations, pack->n_operations, sizeof(*pack->operations));
	}
	call_batch__open(out, pack->out, (size_t)(to - (char *)pack->out));
	begin_batch(pack);
}
