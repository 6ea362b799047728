// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bpf_ring.h"
#include "base/clock.h"
#include "calls/call_pack.h"
#include "calls/calls.h"
#include "calls/operation_fields.h"
#include "host/process.h"

#define BATCH_BYTES (64U << 10)

/* The longest that calls__drain() takes at a time, about. */
#define TURN_NS 100000000

struct calls {
	struct calls_options options;
	struct drain_maps maps;
	struct bpf_ring *ring;
	struct call_pack *pack;
	struct stacks *stacks; /* NULL: they are not recorded */
	struct operation_fields *fields;
	__u64 large_stacks;
	__u64 offset_ns; /* from CLOCK_MONOTONIC to CLOCK_REALTIME */
	__u64 until_ns;	 /* CLOCK_MONOTONIC: end of the turn */
	int epoll;
};

static void flush(struct calls *calls)
{
	struct call_batch batch;

	if (!call_pack__n(calls->pack))
		return;
	call_pack__finish(calls->pack, &batch);
	calls->options.take(calls->options.context, &batch);
}

/* The stack that comes with a call, which begins at CLOCK_MONOTONIC; NULL: none. */
static const struct stack *stack_of(struct calls *calls, const struct tm_series *series,
				    const void *data, size_t size)
{
	const struct tm_call_stacked *stacked = data;
	const struct tm_call *call = &stacked->named.event.call;
	struct stack_taken taken = {
		.pid = (pid_t)call->pid,
		.time_ns = call->start_ns + call->duration_ns,
		.addresses = stacked->values,
	};
	const struct stack *stack;

	if (!calls->stacks || size <= sizeof(stacked->named))
		return NULL;
	taken.n = (size - sizeof(stacked->named)) / sizeof(*stacked->values);
	if (series->key.layer == TM_LAYER_VFS && taken.n > TM_STACK_WORDS) {
		taken.words = stacked->values;
		taken.addresses += TM_STACK_WORDS;
		taken.n -= TM_STACK_WORDS;
	}
	stack = stacks__find(calls->stacks, &taken);
	calls->large_stacks += !stack;
	return stack;
}

static int on_operation(struct calls *calls, const struct tm_series *series,
			const struct tm_operation_event *event)
{
	struct tm_operation_record record = event->record;
	const char *kind = operation_fields__check(calls->fields, &record);

	record.call.start_ns += calls->offset_ns;
	if (!call_pack__add_operation(calls->pack, &record, series, event->comm, kind))
		return 0;
	flush(calls);
	call_pack__add_operation(calls->pack, &record, series, event->comm, kind);
	return clock__ns(CLOCK_MONOTONIC) > calls->until_ns ? -EAGAIN : 0;
}

/* Of each call, or operation. An error ends the turn; the call itself is done with. */
static int on_call(void *context, void *data, size_t size)
{
	const struct tm_call_event *event = data;
	const struct tm_series *series;
	struct calls *calls = context;
	const struct stack *stack;
	const char *name = NULL;
	struct tm_call call;

	if (size < sizeof(*event) || event->call.slot >= calls->maps.slots)
		return 0;
	series = drain__series(calls->options.drain, event->call.slot);
	if (!series)
		return -ENOMEM;
	if (event->call.flags & TM_CALL_OPERATION)
		return size < sizeof(struct tm_operation_event) ? 0
								: on_operation(calls, series, data);
	if (size >= sizeof(struct tm_call_named))
		name = ((const struct tm_call_named *)data)->name;
	stack = stack_of(calls, series, data, size);
	call = event->call;
	call.start_ns += calls->offset_ns;
	if (!call_pack__add(calls->pack, &call, series, event->comm, name, stack))
		return 0;
	flush(calls);
	if (call_pack__add(calls->pack, &call, series, event->comm, name, stack) < 0) {
		calls->large_stacks++;
		call_pack__add(calls->pack, &call, series, event->comm, name, NULL);
	}
	return clock__ns(CLOCK_MONOTONIC) > calls->until_ns ? -EAGAIN : 0;
}

int calls__open(struct calls **out, const struct calls_options *options, struct error *err)
{
	struct calls *calls = calloc(1, sizeof(*calls));
	size_t bytes = options->batch_bytes ? options->batch_bytes : BATCH_BYTES;
	int ret = -ENOMEM;

	if (calls) {
		calls->options = *options;
		calls->maps = *options->maps;
		calls->offset_ns = clock__ns(CLOCK_REALTIME) - clock__ns(CLOCK_MONOTONIC);
		calls->pack = call_pack__new(bytes, options->stacks);
		calls->fields =
			operation_fields__new(options->catalogue, options->probes, options->notes);
	}
	if (calls && calls->pack && calls->fields) {
		call_pack__map_jobs(calls->pack, &options->jobs);
		ret = bpf_ring__open(&calls->ring, calls->maps.calls, on_call, calls);
	}
	if (ret < 0) {
		calls__close(calls);
		return error__set(err, ret, "calls cannot be recorded: %s", strerror(-ret));
	}
	if (options->stacks)
		ret = stacks__open(&calls->stacks, err);
	if (ret < 0) {
		error__prefix(err, "stacks cannot be recorded");
		calls__close(calls);
		return ret;
	}
	*out = calls;
	return 0;
}

void calls__close(struct calls *calls)
{
	if (!calls)
		return;
	bpf_ring__close(calls->ring);
	call_pack__free(calls->pack);
	operation_fields__free(calls->fields);
	stacks__close(calls->stacks);
	free(calls);
}

int calls__fd(const struct calls *calls)
{
	return bpf_ring__fd(calls->ring);
}

int calls__drain(struct calls *calls, bool over, struct error *err)
{
	int ret;

	if (calls->stacks)
		stacks__follow(calls->stacks);
	calls->until_ns = over ? ~0ULL : clock__ns(CLOCK_MONOTONIC) + TURN_NS;
	ret = bpf_ring__read(calls->ring);
	flush(calls);
	if (ret < 0 && ret != -EAGAIN)
		return error__set(err, ret, "reading the recorded calls: %s", strerror(-ret));
	return 0;
}

void calls__meet(struct calls *calls, const pid_t *pids, size_t n)
{
	for (size_t i = 0; calls->stacks && i < n; i++) {
		pid_t pid = process__tgid(pids[i]);

		if (pid > 0)
			stacks__meet(calls->stacks, pid);
	}
}

void calls__stack_losses(const struct calls *calls, struct calls_stack_losses *out)
{
	*out = (struct calls_stack_losses){ 0 };
	if (!calls->stacks)
		return;
	out->unknown = stacks__unknown(calls->stacks);
	out->mapped = stacks__lost(calls->stacks);
	out->large = calls->large_stacks;
}
