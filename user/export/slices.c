// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "export/nest.h"
#include "export/slices.h"
#include "export/tracks.h"
#include "report/names.h"
#include "report/process_index.h"

struct slices {
	struct perfetto *trace;
	struct tracks *tracks;
	struct process_index *processes;
	const struct report_run *run;
	struct flows *flows;
	struct nest *nest;
	const struct call_batch *batch; /* that is being written */
};

static bool is_request(const struct tm_call *call)
{
	return call->flags & TM_CALL_REQUEST;
}

/* Is its place on its thread's track, below the calls around it? */
static bool is_in_thread(const struct tm_call *call)
{
	return call->tid && !is_request(call);
}

int slices__find_flows(struct flows *flows, const struct call_batch *batch)
{
	int ret = 0;

	for (size_t i = 0; i < batch->n_calls && !ret; i++) {
		const struct tm_call *call = &batch->calls[i];

		if (call->parent && !is_in_thread(call))
			ret = flows__add(flows, call->parent, call->id);
	}
	for (size_t i = 0; i < batch->n_operations && !ret; i++) {
		const struct tm_operation_record *operation = &batch->operations[i];

		if (operation->call_id)
			ret = flows__add(flows, operation->call_id, operation->call.id);
		if (!ret && operation->call.parent)
			ret = flows__add(flows, operation->call.parent, operation->call.id);
	}
	return ret;
}

void slices__match_flows(struct flows *flows, const struct call_batch *batch)
{
	for (size_t i = 0; i < batch->n_calls; i++)
		flows__found(flows, batch->calls[i].id);
	for (size_t i = 0; i < batch->n_operations; i++)
		flows__found(flows, batch->operations[i].call.id);
}

struct slices *slices__new(struct perfetto *trace)
{
	struct slices *slices = calloc(1, sizeof(*slices));

	if (!slices)
		return NULL;
	slices->trace = trace;
	slices->tracks = tracks__new(trace);
	slices->processes = process_index__new();
	slices->nest = nest__new();
	if (slices->tracks && slices->processes && slices->nest)
		return slices;
	slices__free(slices);
	return NULL;
}

void slices__free(struct slices *slices)
{
	if (!slices)
		return;
	nest__free(slices->nest);
	process_index__free(slices->processes);
	tracks__free(slices->tracks);
	free(slices);
}

void slices__use(struct slices *slices, const struct report_run *run, struct flows *flows,
		 const char *host)
{
	slices->run = run;
	slices->flows = flows;
	tracks__use(slices->tracks, host);
}

static __u64 end_of(const struct tm_call *call)
{
	return call->start_ns + call->duration_ns;
}

/* The name of a process, until the next one is asked for; NULL: not known. */
static const char *process_of(struct slices *slices, const struct tm_call *call)
{
	__u32 number =
		process_index__find(slices->processes, slices->run, call->pid, call->start_ns);
	const struct process_info *process = names__process(slices->run, number);

	return process ? process->comm : NULL;
}

static void put_object(struct perfetto *trace, const struct call_batch *batch,
		       const struct tm_call *call)
{
	char text[48];

	switch (call->object_kind) {
	case TM_OBJECT_VALUE:
		snprintf(text, sizeof(text), "0x%llx", call->object[0]);
		perfetto__text(trace, PERFETTO_OBJECT, text);
		break;
	case TM_OBJECT_U128:
		perfetto__text(trace, PERFETTO_OBJECT, call_batch__u128(call, text, sizeof(text)));
		break;
	default:
		perfetto__text(trace, PERFETTO_OBJECT, call_batch__name(batch, call));
		break;
	}
}

static void put_result(struct perfetto *trace, const struct call_batch *batch,
		       const struct tm_call *call)
{
	perfetto__number(trace, PERFETTO_ID, call->id);
	if (call->parent)
		perfetto__number(trace, PERFETTO_PARENT_ID, call->parent);
	if (call->flags & TM_CALL_BYTES)
		perfetto__number(trace, PERFETTO_BYTES, call->bytes);
	if (call->flags & TM_CALL_RC)
		perfetto__signed(trace, PERFETTO_RC, call->rc);
	put_object(trace, batch, call);
}

/* Arrows that begin here; and the one from where, if that is there. */
static void put_flows(struct slices *slices, __u64 id)
{
	__u64 first;
	size_t n = flows__begin(slices->flows, id, &first);

	for (size_t i = 0; i < n; i++)
		perfetto__flow(slices->trace, first + i);
}

static void put_flow_end(struct slices *slices, __u64 from, __u64 to)
{
	__u64 number = from ? flows__number(slices->flows, from, to) : 0;

	if (number)
		perfetto__flow_end(slices->trace, number);
}

static void begin_slice(struct slices *slices, const struct tm_call *call, __u64 track,
			const char *kind)
{
	const struct call_series *series = call_batch__series(slices->batch, call->slot);
	const struct tm_series like = call_series__like(series);
	const char *layer = series ? names__layer(slices->run, series->layer) : NULL;
	const char *name = series ? names__function(slices->run, &like.key) : NULL;

	perfetto__begin(slices->trace, track, call->start_ns, name ? name : "?",
			layer ? layer : "?", kind);
	put_result(slices->trace, slices->batch, call);
	put_flows(slices, call->id);
}

/* A call of a thread, whose track the nest has chosen. */
static void begin_call(void *context, const struct tm_call *call, __u64 track)
{
	struct slices *slices = context;
	const struct call_series *series = call_batch__series(slices->batch, call->slot);
	const struct tm_series like = call_series__like(series);

	begin_slice(slices, call, track, "call");
	if (series && series->layer == TM_LAYER_VFS)
		perfetto__text(slices->trace, PERFETTO_MOUNT, names__mount(slices->run, &like));
	perfetto__begun(slices->trace);
}

static void end_call(void *context, const struct tm_call *call, __u64 track)
{
	struct slices *slices = context;

	perfetto__end(slices->trace, track, end_of(call));
}

/* Where a call goes that does not fit into its thread's: it overlaps with another one. */
static __u64 track_beside(struct slices *slices, const struct tm_call *call)
{
	return tracks__free_at(slices->tracks, call->pid, process_of(slices, call),
			       call->tid ? "on other stacks" : "asynchronous", call->start_ns,
			       end_of(call));
}

static __u64 track_of_request(struct slices *slices, const struct tm_call *call)
{
	const struct tm_series like =
		call_series__like(call_batch__series(slices->batch, call->slot));
	char device[NAMES_ROOM], name[NAMES_ROOM + 8];

	snprintf(name, sizeof(name), "block %s", names__device(slices->run, &like, device));
	return tracks__free_at(slices->tracks, 0, NULL, name, call->start_ns, end_of(call));
}

static void put_request(struct slices *slices, const struct tm_call *call)
{
	__u64 queue_ns = call_batch__queue_ns(call);

	put_flow_end(slices, call->parent, call->id);
	if (call->object[0] != TM_NO_SECTOR)
		perfetto__number(slices->trace, PERFETTO_SECTOR, call->object[0]);
	perfetto__number(slices->trace, PERFETTO_QUEUE_NS, queue_ns);
	perfetto__number(slices->trace, PERFETTO_SERVICE_NS, call->duration_ns - queue_ns);
	perfetto__text(slices->trace, PERFETTO_COMM, call_batch__comm(slices->batch, call->tid));
}

/* One that is in no thread. */
static int put_beside(struct slices *slices, const struct tm_call *call)
{
	bool request = is_request(call);
	__u64 track = request ? track_of_request(slices, call) : track_beside(slices, call);

	if (!track)
		return -ENOMEM;
	begin_slice(slices, call, track, request ? "request" : "call");
	if (request)
		put_request(slices, call);
	perfetto__begun(slices->trace);
	perfetto__end(slices->trace, track, end_of(call));
	return 0;
}

static __u64 track_of_thread(void *context, const struct tm_call *call)
{
	struct slices *slices = context;

	return tracks__thread(slices->tracks, call->pid, call->tid,
			      call_batch__comm(slices->batch, call->tid), process_of(slices, call));
}

static __u64 track_of_misfit(void *context, const struct tm_call *call)
{
	return track_beside(context, call);
}

static int put_calls(struct slices *slices, const struct call_batch *batch)
{
	const struct nest_target target = {
		.context = slices,
		.track = track_of_thread,
		.beside = track_of_misfit,
		.begin = begin_call,
		.end = end_call,
	};
	int ret = 0;

	for (size_t i = 0; i < batch->n_calls && !ret; i++) {
		const struct tm_call *call = &batch->calls[i];

		ret = is_in_thread(call) ? nest__add(slices->nest, call) : 0;
	}
	if (!ret)
		ret = nest__put(slices->nest, &target);
	for (size_t i = 0; i < batch->n_calls && !ret; i++)
		if (!is_in_thread(&batch->calls[i]))
			ret = put_beside(slices, &batch->calls[i]);
	return ret;
}

/* Is it known when the call that launched it was over, and was it not complete by then? */
static bool has_phases(const struct tm_operation_record *operation)
{
	return operation->known & TM_OPERATION_SUBMITTED &&
	       operation->submit_ns <= operation->call.duration_ns;
}

/*
 * Its phases, below it: in the call that launched it, and from then on. It begins a moment before
 * that call, as the kernel side tells them: an arrow from there goes to the second phase.
 */
static void put_phases(struct slices *slices, const struct tm_operation_record *operation,
		       __u64 track)
{
	const struct tm_call *call = &operation->call;
	__u64 submitted = call->start_ns + operation->submit_ns;

	perfetto__begin(slices->trace, track, call->start_ns, "submit", "phase", NULL);
	perfetto__begun(slices->trace);
	perfetto__end(slices->trace, track, submitted);
	perfetto__begin(slices->trace, track, submitted, "in flight", "phase", NULL);
	put_flow_end(slices, operation->call_id, call->id);
	perfetto__begun(slices->trace);
	perfetto__end(slices->trace, track, end_of(call));
}

static void put_field(struct slices *slices, enum perfetto_argument name,
		      const struct tm_operation_record *operation, enum tm_field field)
{
	if (operation->known >> field & 1)
		perfetto__number(slices->trace, name, operation->fields[field]);
}

/* Without phases the arrow from its call goes to its end. */
static void put_slice(struct slices *slices, const struct tm_operation_record *operation,
		      __u64 track)
{
	const struct tm_call *call = &operation->call;

	begin_slice(slices, call, track, "operation");
	perfetto__text(slices->trace, PERFETTO_FATE, call_batch__fate(operation));
	put_field(slices, PERFETTO_SEQNO, operation, TM_FIELD_SEQNO);
	put_field(slices, PERFETTO_SM_ID, operation, TM_FIELD_SM_ID);
	perfetto__number(slices->trace, PERFETTO_WAIT_NS, operation->wait_ns);
	perfetto__number(slices->trace, PERFETTO_LATE_POLL_NS, operation->late_ns);
	if (call->parent != operation->call_id)
		put_flow_end(slices, call->parent, call->id);
	perfetto__begun(slices->trace);
	if (has_phases(operation))
		put_phases(slices, operation, track);
	perfetto__ending(slices->trace, track, end_of(call));
	if (!has_phases(operation))
		put_flow_end(slices, operation->call_id, call->id);
	perfetto__begun(slices->trace);
}

static int put_operation(struct slices *slices, const struct tm_operation_record *operation)
{
	const struct tm_call *call = &operation->call;
	const struct call_series *series = call_batch__series(slices->batch, call->slot);
	const char *layer = series ? names__layer(slices->run, series->layer) : NULL;
	char name[64];
	__u64 track;

	snprintf(name, sizeof(name), "%s operations", layer ? layer : "other");
	track = tracks__free_at(slices->tracks, call->pid, process_of(slices, call), name,
				call->start_ns, end_of(call));
	if (!track)
		return -ENOMEM;
	put_slice(slices, operation, track);
	return 0;
}

int slices__put(struct slices *slices, const struct call_batch *batch)
{
	int ret;

	slices->batch = batch;
	ret = put_calls(slices, batch);
	for (size_t i = 0; i < batch->n_operations && !ret; i++)
		ret = put_operation(slices, &batch->operations[i]);
	return ret ? ret : perfetto__flush(slices->trace);
}
