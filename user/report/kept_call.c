// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/kept_call.h"
#include "report/names.h"
#include "tmtrace/spec.h"

static void describe_object(struct kept_call *kept, const struct call_batch *batch)
{
	const struct tm_call *call = &kept->record.call;
	const char *name = call_batch__name(batch, call);

	if (call->object_kind == TM_OBJECT_STRING && name)
		snprintf(kept->names, TM_CALL_NAME, "%s", name);
	else if (call->object_kind == TM_OBJECT_VALUE)
		snprintf(kept->names, TM_CALL_NAME, "0x%llx", call->object[0]);
	else if (call->object_kind == TM_OBJECT_U128)
		call_batch__u128(call, kept->names, TM_CALL_NAME);
}

/* Of a block request it is where on which device. */
static void describe_place(struct kept_call *kept)
{
	const struct tm_series like = call_series__like(&kept->series);
	__u64 sector = kept->record.call.object[0];
	char device[NAMES_ROOM];

	names__device(kept->run, &like, device);
	if (sector == TM_NO_SECTOR)
		snprintf(kept->names, TM_CALL_NAME, "%s", device);
	else
		snprintf(kept->names, TM_CALL_NAME, "%s, sector %llu", device, sector);
}

/* Its record is there already. */
static void describe(struct kept_call *kept, const struct report_run *run,
		     const struct call_batch *batch)
{
	const struct tm_call *call = &kept->record.call;
	const struct call_series *series = call_batch__series(batch, call->slot);
	const char *comm = call_batch__comm(batch, call->tid);

	kept->run = run;
	kept->known = series;
	if (series)
		kept->series = *series;
	if (comm)
		snprintf(kept->comm, sizeof(kept->comm), "%s", comm);
	if (call->flags & TM_CALL_REQUEST)
		describe_place(kept);
	else
		describe_object(kept, batch);
}

void kept_call__take(struct kept_call *out, const struct report_run *run,
		     const struct call_batch *batch, const struct tm_call *call)
{
	*out = (struct kept_call){ .record.call = *call };
	describe(out, run, batch);
	out->stack = kept_stack__new(batch, call, kept_call__object(out));
}

void kept_call__take_operation(struct kept_call *out, const struct report_run *run,
			       const struct call_batch *batch,
			       const struct tm_operation_record *operation)
{
	const char *kind = call_batch__kind(batch, operation);

	*out = (struct kept_call){ .record = *operation, .is_operation = true };
	describe(out, run, batch);
	if (kind)
		snprintf(out->names + KEPT_CALL_KIND, sizeof(out->names) - KEPT_CALL_KIND, "%s",
			 kind);
}

void kept_call__clear(struct kept_call *kept)
{
	free(kept->stack);
	kept->stack = NULL;
}

void kept_call__batch(const struct kept_call *kept, struct kept_batch *out)
{
	struct tm_call *call = &out->record.call;

	*out = (struct kept_batch){ .record = kept->record };
	out->thread = (struct call_thread){ .pid = call->pid, .tid = call->tid };
	memcpy(out->thread.comm, kept->comm, sizeof(out->thread.comm));
	out->record.kind = KEPT_CALL_KIND;
	if (call->object_kind == TM_OBJECT_STRING)
		call->object[0] = 0; /* where its name is */
	out->batch = (struct call_batch){
		.series = &kept->series,
		.n_series = kept->known,
		.threads = &out->thread,
		.n_threads = kept->comm[0] != 0,
		.calls = call,
		.n_calls = !kept->is_operation,
		.operations = &out->record,
		.n_operations = kept->is_operation,
		.names = kept->names,
		.names_bytes = sizeof(kept->names),
	};
	if (kept->stack)
		kept_stack__use(kept->stack, &out->batch);
}
