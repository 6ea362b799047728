// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "job/job_patterns.h"
#include "report/names.h"
#include "report/process_index.h"
#include "sink/json_call.h"
#include "sink/json_stack.h"
#include "sink/json_value.h"
#include "sink/series_text.h"
#include "tmtrace/number.h"
#include "tmtrace/spec.h"

/* Texts that are kept, by the low bits of the number that they stand for. */
#define CACHE 1024

/* Members of all calls of a series: "cgroup":"/a",...,"function":"f" */
struct key_text {
	struct call_series of;
	char *text; /* NULL: none yet */
};

/* A thread's name, quoted. */
struct comm_text {
	char comm[16];
	char *text;
};

/* A text that most calls share, quoted: the scheduler's job, workflow, component. */
struct shared_text {
	char of[JOB_ID_MAX];
	char *text;
};

enum { JOB, WORKFLOW, COMPONENT, SHARED };

struct json_calls {
	const struct report_run *run;
	struct process_index *processes;
	struct shared_text shared[SHARED]; /* of the last call that had one */
	char *run_text;			   /* members of all calls: "hostname":...,"epoch":... */
	struct key_text series[CACHE];
	struct comm_text comms[CACHE];
	__u64 second; /* whose date is below */
	char date[32];
	struct json_stacks *stacks;
	char *text; /* of the last batch */
	size_t length;
};

struct json_calls *json_calls__new(const struct report_run *run)
{
	struct json_calls *calls = calloc(1, sizeof(*calls));
	struct json_object *object = json_object_new_object();

	if (calls)
		calls->stacks = json_stacks__new();
	if (calls && calls->stacks && object) {
		calls->run = run;
		calls->processes = process_index__new();
		json_value__add_string(object, "hostname", run->hostname);
		json_value__add_string(object, "epoch", run->epoch);
		calls->run_text = json_value__members(object);
	} else {
		json_object_put(object);
	}
	if (calls && (!calls->run_text || !calls->processes)) {
		json_calls__free(calls);
		return NULL;
	}
	return calls;
}

void json_calls__free(struct json_calls *calls)
{
	if (!calls)
		return;
	for (size_t i = 0; i < CACHE; i++) {
		free(calls->series[i].text);
		free(calls->comms[i].text);
	}
	json_stacks__free(calls->stacks);
	process_index__free(calls->processes);
	for (size_t i = 0; i < SHARED; i++)
		free(calls->shared[i].text);
	free(calls->run_text);
	free(calls->text);
	free(calls);
}

/* NULL without memory. */
static const char *key_text(struct json_calls *calls, const struct call_series *series)
{
	struct key_text *cached = &calls->series[series->slot % CACHE];
	const struct tm_series like = call_series__like(series);
	struct json_text text = { 0 };
	struct record_text record;

	if (cached->text && !memcmp(&cached->of, series, sizeof(*series)))
		return cached->text;
	free(cached->text);
	cached->text = NULL;
	record = record_text__begin(&text);
	series_text__add_key(&record, calls->run, &like);
	cached->of = *series;
	/* Without its braces. */
	if (record_text__end(&record) == 0)
		cached->text = strndup(text.bytes + 1, text.n - 2);
	free(text.bytes);
	return cached->text;
}

static const char *comm_text(struct json_calls *calls, const char *comm, __u32 tid)
{
	struct comm_text *cached = &calls->comms[tid % CACHE];

	if (!comm)
		return "null";
	if (!cached->text || strcmp(cached->comm, comm) != 0) {
		free(cached->text);
		cached->text = json_value__quoted(comm);
		snprintf(cached->comm, sizeof(cached->comm), "%s", comm);
	}
	return cached->text ? cached->text : "null";
}

static const char *shared_text(struct json_calls *calls, int which, const char *of)
{
	struct shared_text *cached = &calls->shared[which];

	if (!of)
		return "null";
	if (!cached->text || strcmp(cached->of, of) != 0) {
		free(cached->text);
		cached->text = json_value__quoted(of);
		snprintf(cached->of, sizeof(cached->of), "%s", of);
	}
	return cached->text ? cached->text : "null";
}

/* The date of a time, to the second. */
static const char *date_of(struct json_calls *calls, __u64 ns)
{
	if (calls->second != ns / NS_PER_S || !calls->date[0]) {
		clock__utc(calls->date, sizeof(calls->date), ns, JSON_DATE);
		calls->second = ns / NS_PER_S;
	}
	return calls->date;
}

static void put_measured(FILE *out, const char *name, __u64 value, bool measured)
{
	if (measured)
		fprintf(out, ",\"%s\":%llu", name, value);
	else
		fprintf(out, ",\"%s\":null", name);
}

static void put_number(FILE *out, const char *name, __u32 number)
{
	if (number)
		fprintf(out, ",\"%s\":%d", name, tm_number(number));
	else
		fprintf(out, ",\"%s\":null", name);
}

static void put_object(FILE *out, const struct call_batch *batch, const struct tm_call *call)
{
	const char *name;
	char halves[48];
	char *text;

	fputs(",\"object\":", out);
	switch (call->object_kind) {
	case TM_OBJECT_VALUE:
		fprintf(out, "\"0x%llx\"", call->object[0]);
		break;
	case TM_OBJECT_U128:
		fprintf(out, "\"%s\"", call_batch__u128(call, halves, sizeof(halves)));
		break;
	default:
		name = call_batch__name(batch, call);
		text = name ? json_value__quoted(name) : NULL;
		fputs(text ? text : "null", out);
		free(text);
		break;
	}
}

/* Which of the job's processes made it. */
static void put_rank(struct json_calls *calls, FILE *out, const struct call_series *series,
		     const struct tm_call *call)
{
	__u32 number = process_index__find(calls->processes, calls->run, call->pid, call->start_ns);
	const struct tm_key key = { .job = series ? series->job : 0, .process = number };
	const char *jobid = names__jobid(calls->run, &key);
	const struct process_info *process = names__process(calls->run, number);

	put_measured(out, "rank", process ? (__u64)process->rank : 0,
		     process && process->rank >= 0);
	fprintf(out, ",\"jobid\":%s,\"workflow\":%s,\"component\":%s",
		shared_text(calls, JOB, jobid),
		shared_text(calls, WORKFLOW, process ? process->workflow : NULL),
		shared_text(calls, COMPONENT, process ? process->component : NULL));
}

/* What calls and operations have in common, up to the id. 0 or -ENOMEM. */
static int put_begin(struct json_calls *calls, FILE *out, const struct call_batch *batch,
		     const struct tm_call *call, const char *type)
{
	const struct call_series *series = call_batch__series(batch, call->slot);
	const char *key = series ? key_text(calls, series) : "\"layer\":null,\"function\":null";
	__u64 start = call->start_ns;

	if (!key)
		return -ENOMEM;
	fprintf(out, "{\"v\":1,\"type\":\"%s\",\"time\":\"%s.%09lluZ\",\"time_ns\":%llu,%s,%s",
		type, date_of(calls, start), start % NS_PER_S, start, calls->run_text, key);
	put_number(out, "pid", call->pid);
	put_number(out, "tid", call->tid);
	fprintf(out, ",\"comm\":%s,\"id\":%llu",
		comm_text(calls, call_batch__comm(batch, call->tid), call->tid), call->id);
	put_rank(calls, out, series, call);
	put_measured(out, "parent_id", call->parent, call->parent != 0);
	return 0;
}

/* What it came to. */
static void put_result(FILE *out, const struct call_batch *batch, const struct tm_call *call)
{
	if (call->flags & TM_CALL_RC)
		fprintf(out, ",\"rc\":%lld", call->rc);
	else
		fputs(",\"rc\":null", out);
	put_measured(out, "bytes", call->bytes, call->flags & TM_CALL_BYTES);
	put_object(out, batch, call);
}

/* What block requests have beside calls. */
static void put_request(FILE *out, const struct tm_call *call)
{
	__u64 queue_ns = call_batch__queue_ns(call);

	put_measured(out, "sector", call->object[0], call->object[0] != TM_NO_SECTOR);
	fprintf(out, ",\"queue_ns\":%llu,\"service_ns\":%llu", queue_ns,
		call->duration_ns - queue_ns);
}

static int put_call(struct json_calls *calls, FILE *out, const struct call_batch *batch,
		    const struct tm_call *call)
{
	bool is_request = call->flags & TM_CALL_REQUEST;
	__u64 start = call->start_ns;
	int rc = put_begin(calls, out, batch, call, "call");

	if (rc < 0)
		return rc;
	fprintf(out, ",\"timestamp\":%llu.%06llu,\"wtime\":%llu.%06llu", start / NS_PER_S,
		start % NS_PER_S / 1000, call->duration_ns / NS_PER_S,
		call->duration_ns % NS_PER_S / 1000);
	put_measured(out, "depth", call->depth, call->tid != 0 && !is_request);
	fprintf(out, ",\"start_ns\":%llu,\"duration_ns\":%llu", start, call->duration_ns);
	put_result(out, batch, call);
	if (is_request)
		put_request(out, call);
	rc = json_stacks__put(calls->stacks, out, batch, call);
	fputs("}\n", out);
	return rc;
}

static void put_field(FILE *out, const char *name, const struct tm_operation_record *operation,
		      enum tm_field field)
{
	put_measured(out, name, operation->fields[field], operation->known >> field & 1);
}

/* What an operation's time went to. */
static void put_phases(FILE *out, const struct tm_operation_record *operation)
{
	__u64 ns = operation->call.duration_ns, submit = operation->submit_ns;
	bool submitted = operation->known & TM_OPERATION_SUBMITTED;

	fputs(",\"phases\":{", out);
	fprintf(out, "\"wait_ns\":%llu,\"late_poll_ns\":%llu", operation->wait_ns,
		operation->late_ns);
	put_measured(out, "submit_ns", submit, submitted);
	put_measured(out, "in_flight_ns", ns > submit ? ns - submit : 0, submitted);
	fputs("}", out);
}

/* By what its struct says; else by the function that launches it. */
static int put_kind(struct json_calls *calls, FILE *out, const struct call_batch *batch,
		    const struct tm_operation_record *operation)
{
	const struct call_series *series = call_batch__series(batch, operation->call.slot);
	const struct tm_series like = call_series__like(series);
	const char *kind = call_batch__kind(batch, operation);
	char *text;

	if (!kind && series)
		kind = names__function(calls->run, &like.key);
	text = kind ? json_value__quoted(kind) : NULL;
	if (kind && !text)
		return -ENOMEM;
	fprintf(out, ",\"kind\":%s", text ? text : "null");
	free(text);
	return 0;
}

static int put_operation(struct json_calls *calls, FILE *out, const struct call_batch *batch,
			 const struct tm_operation_record *operation)
{
	const struct tm_call *call = &operation->call;
	__u64 start = call->start_ns;
	int rc = put_begin(calls, out, batch, call, "operation");

	if (rc == 0)
		rc = put_kind(calls, out, batch, operation);
	if (rc < 0)
		return rc;
	put_measured(out, "call_id", operation->call_id, operation->call_id != 0);
	fprintf(out, ",\"launch_ns\":%llu", start);
	put_measured(out, "complete_ns", start + call->duration_ns,
		     operation->loss == TM_OPERATION_LOSSES);
	fprintf(out, ",\"duration_ns\":%llu,\"fate\":\"%s\"", call->duration_ns,
		call_batch__fate(operation));
	put_result(out, batch, call);
	put_field(out, "session", operation, TM_FIELD_SESSION);
	put_field(out, "seqno", operation, TM_FIELD_SEQNO);
	put_field(out, "sm_id", operation, TM_FIELD_SM_ID);
	put_phases(out, operation);
	fputs("}\n", out);
	return 0;
}

int json_calls__text(struct json_calls *calls, const struct call_batch *batch, const char **text,
		     size_t *length)
{
	FILE *out;
	int rc = 0;

	free(calls->text);
	calls->text = NULL;
	out = open_memstream(&calls->text, &calls->length);
	if (!out)
		return -ENOMEM;
	json_stacks__begin(calls->stacks);
	for (size_t i = 0; i < batch->n_calls && !rc; i++)
		rc = put_call(calls, out, batch, &batch->calls[i]);
	for (size_t i = 0; i < batch->n_operations && !rc; i++)
		rc = put_operation(calls, out, batch, &batch->operations[i]);
	if (fclose(out) && !rc)
		rc = -ENOMEM;
	*text = calls->text;
	*length = calls->length;
	return rc;
}
