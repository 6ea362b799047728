// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "report/names.h"
#include "report/process_index.h"
#include "sink/json_call.h"
#include "sink/series_text.h"
#include "tmtrace/spec.h"

struct json_calls {
	const struct report_run *run;
	struct process_index *processes;
};

struct json_calls *json_calls__new(const struct report_run *run)
{
	struct json_calls *calls = calloc(1, sizeof(*calls));

	if (!calls)
		return NULL;
	calls->run = run;
	calls->processes = process_index__new();
	if (calls->processes)
		return calls;
	json_calls__free(calls);
	return NULL;
}

void json_calls__free(struct json_calls *calls)
{
	if (!calls)
		return;
	process_index__free(calls->processes);
	free(calls);
}

static void add_object(struct record *record, const struct call_batch *batch,
		       const struct tm_call *call)
{
	char halves[48];

	switch (call->object_kind) {
	case TM_OBJECT_VALUE:
		record__hex(record, "object", call->object[0]);
		break;
	case TM_OBJECT_U128:
		record__string(record, "object", call_batch__u128(call, halves, sizeof(halves)));
		break;
	default:
		record__string(record, "object", call_batch__name(batch, call));
		break;
	}
}

/* Which of the job's processes made it. */
static void add_rank(struct json_calls *calls, struct record *record,
		     const struct call_series *series, const struct tm_call *call)
{
	__u32 number = process_index__find(calls->processes, calls->run, call->pid, call->start_ns);
	const struct tm_key key = { .job = series ? series->job : 0, .process = number };
	const char *jobid = names__jobid(calls->run, &key);
	const struct process_info *process = names__process(calls->run, number);

	record__measured(record, "rank", process ? (__u64)process->rank : 0,
			 process && process->rank >= 0);
	record__string(record, "jobid", jobid);
	record__string(record, "workflow", process ? process->workflow : NULL);
	record__string(record, "component", process ? process->component : NULL);
}

/* What calls and operations have in common, up to the id. */
static void begin(struct json_calls *calls, struct record *record, const struct call_batch *batch,
		  const struct tm_call *call, const char *type)
{
	const struct call_series *series = call_batch__series(batch, call->slot);
	const struct tm_series like = call_series__like(series);

	record__begin(record, calls->run, type, call->start_ns, calls->run->hostname);
	if (series) {
		series_text__add_key(record, calls->run, &like);
	} else {
		record__null(record, "layer");
		record__null(record, "function");
	}
	record__number(record, "pid", call->pid, call->pid != 0);
	record__number(record, "tid", call->tid, call->tid != 0);
	record__string(record, "comm", call_batch__comm(batch, call->tid));
	record__u64(record, "id", call->id);
	add_rank(calls, record, series, call);
	record__measured(record, "parent_id", call->parent, call->parent != 0);
}

/* What it came to. */
static void add_result(struct record *record, const struct call_batch *batch,
		       const struct tm_call *call)
{
	if (call->flags & TM_CALL_RC)
		record__i64(record, "rc", call->rc);
	else
		record__null(record, "rc");
	record__measured(record, "bytes", call->bytes, call->flags & TM_CALL_BYTES);
	add_object(record, batch, call);
}

/* What block requests have beside calls. */
static void add_request(struct record *record, const struct tm_call *call)
{
	__u64 queue_ns = call_batch__queue_ns(call);

	record__measured(record, "sector", call->object[0], call->object[0] != TM_NO_SECTOR);
	record__u64(record, "queue_ns", queue_ns);
	record__u64(record, "service_ns", call->duration_ns - queue_ns);
}

/* Without a library the place is an address. */
static void add_frame(struct record *record, const struct stack_frame *frame)
{
	record__open(record, NULL);
	if (frame->library) {
		record__null(record, "address");
		record__hex(record, "offset", frame->place);
	} else {
		record__hex(record, "address", frame->place);
		record__null(record, "offset");
	}
	record__string(record, "function", frame->function);
	record__string(record, "library", frame->library);
	record__close(record);
}

/* Null where there is none; nothing where none were recorded. */
static void add_stack(struct record *record, const struct call_batch *batch,
		      const struct tm_call *call)
{
	struct call_stack stack;

	if (!batch->stack_of)
		return;
	if (!call_batch__stack(batch, call, &stack)) {
		record__null(record, "stack");
		return;
	}
	record__open_array(record, "stack");
	for (size_t i = 0; i < stack.n; i++) {
		const struct stack_frame frame = call_batch__frame(batch, &stack, i);

		add_frame(record, &frame);
	}
	record__close_array(record);
}

void json_calls__add(struct json_calls *calls, struct record *record,
		     const struct call_batch *batch, size_t i)
{
	const struct tm_call *call = &batch->calls[i];
	bool is_request = call->flags & TM_CALL_REQUEST;

	begin(calls, record, batch, call, "call");
	record__seconds(record, "timestamp", call->start_ns);
	record__seconds(record, "wtime", call->duration_ns);
	record__measured(record, "depth", call->depth, call->tid != 0 && !is_request);
	record__u64(record, "start_ns", call->start_ns);
	record__u64(record, "duration_ns", call->duration_ns);
	add_result(record, batch, call);
	if (is_request)
		add_request(record, call);
	add_stack(record, batch, call);
	record__end(record);
}

static void add_field(struct record *record, const char *name,
		      const struct tm_operation_record *operation, enum tm_field field)
{
	record__measured(record, name, operation->fields[field], operation->known >> field & 1);
}

/* What an operation's time went to. */
static void add_phases(struct record *record, const struct tm_operation_record *operation)
{
	__u64 ns = operation->call.duration_ns, submit = operation->submit_ns;
	bool submitted = operation->known & TM_OPERATION_SUBMITTED;

	record__open(record, "phases");
	record__u64(record, "wait_ns", operation->wait_ns);
	record__u64(record, "late_poll_ns", operation->late_ns);
	record__measured(record, "submit_ns", submit, submitted);
	record__measured(record, "in_flight_ns", ns > submit ? ns - submit : 0, submitted);
	record__close(record);
}

/* By what its struct says; else by the function that launches it. */
static const char *kind_of(const struct json_calls *calls, const struct call_batch *batch,
			   const struct tm_operation_record *operation)
{
	const struct call_series *series = call_batch__series(batch, operation->call.slot);
	const struct tm_series like = call_series__like(series);
	const char *kind = call_batch__kind(batch, operation);

	return !kind && series ? names__function(calls->run, &like.key) : kind;
}

void json_calls__add_operation(struct json_calls *calls, struct record *record,
			       const struct call_batch *batch, size_t i)
{
	const struct tm_operation_record *operation = &batch->operations[i];
	const struct tm_call *call = &operation->call;

	begin(calls, record, batch, call, "operation");
	record__string(record, "kind", kind_of(calls, batch, operation));
	record__measured(record, "call_id", operation->call_id, operation->call_id != 0);
	record__u64(record, "launch_ns", call->start_ns);
	record__measured(record, "complete_ns", call->start_ns + call->duration_ns,
			 operation->loss == TM_OPERATION_LOSSES);
	record__u64(record, "duration_ns", call->duration_ns);
	record__string(record, "fate", call_batch__fate(operation));
	add_result(record, batch, call);
	add_field(record, "session", operation, TM_FIELD_SESSION);
	add_field(record, "seqno", operation, TM_FIELD_SEQNO);
	add_field(record, "sm_id", operation, TM_FIELD_SM_ID);
	add_phases(record, operation);
	record__end(record);
}
