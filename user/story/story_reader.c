// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "report/names.h"
#include "story/story_reader.h"

/* What the numbers of a batch's series stand for. */
struct meaning {
	const char *layer, *function;
	enum story_call_kind kind;
	const char *device; /* of block requests */
};

struct reader {
	struct story_input *input;
	__u32 run, host;
	struct recording *recording;
	const struct story_window *windows; /* NULL: operations and ADDB2 records are read */
	size_t n_windows;
};

static int no_memory(struct error *err)
{
	return error__set(err, -ENOMEM, "no memory for what was recorded");
}

/* Unknown names are empty. 0 or -ENOMEM. */
static int find_meaning(const struct reader *reader, const struct call_batch *batch, __u32 slot,
			struct meaning *out)
{
	const struct report_run *run = recording__run(reader->recording);
	const struct call_series *series = call_batch__series(batch, slot);
	struct tm_series like = call_series__like(series);
	const char *name = series ? names__layer(run, series->layer) : NULL;
	char device[NAMES_ROOM];

	out->kind = STORY_CALL_LIBRARY;
	if (series && series->layer == TM_LAYER_VFS)
		out->kind = STORY_CALL_FILE;
	if (series && series->layer == TM_LAYER_BLOCK)
		out->kind = STORY_CALL_REQUEST;
	names__device(run, &like, device);
	out->device = story_input__name(reader->input, device);
	out->layer = story_input__name(reader->input, name ? name : "");
	name = series ? names__function(run, &like.key) : NULL;
	out->function = story_input__name(reader->input, name ? name : "?");
	return out->layer && out->function && out->device ? 0 : -ENOMEM;
}

static bool overlaps(const struct reader *reader, const struct tm_call *call)
{
	for (size_t i = 0; i < reader->n_windows; i++) {
		const struct story_window *window = &reader->windows[i];

		if (window->host == reader->host && call->start_ns <= window->end_ns &&
		    call->start_ns + call->duration_ns >= window->start_ns)
			return true;
	}
	return false;
}

static int take_call(const struct reader *reader, const struct call_batch *batch,
		     const struct tm_call *call)
{
	struct story_call taken = {
		.start_ns = call->start_ns,
		.end_ns = call->start_ns + call->duration_ns,
		.id = call->id,
		.parent = call->parent,
		.run = reader->run,
		.pid = call->pid,
		.tid = call->tid,
	};
	struct meaning meaning;

	if (!overlaps(reader, call))
		return 0;
	if (find_meaning(reader, batch, call->slot, &meaning))
		return -ENOMEM;
	taken.kind = meaning.kind;
	taken.layer = meaning.layer;
	taken.function = meaning.function;
	if (call->flags & TM_CALL_REQUEST) {
		taken.device = meaning.device;
		taken.queue_ns = call_batch__queue_ns(call);
		taken.bytes = call->flags & TM_CALL_BYTES ? call->bytes : 0;
	}
	return story_input__add_call(reader->input, &taken);
}

/* The number that the library's struct says; *has: whether it does. */
static __u64 field_of(const struct tm_operation_record *operation, enum tm_field field, bool *has)
{
	*has = operation->known >> field & 1;
	return *has ? operation->fields[field] : 0;
}

static int take_operation(const struct reader *reader, const struct call_batch *batch,
			  const struct tm_operation_record *operation)
{
	const struct tm_call *call = &operation->call;
	const char *kind = call_batch__kind(batch, operation);
	bool swapped = call->flags & TM_CALL_BIG_ENDIAN;
	struct story_operation taken = {
		.run = reader->run,
		.pid = call->pid,
		.tid = call->tid,
		.id = call->id,
		.parent = call->parent == operation->call_id ? 0 : call->parent,
		.call = operation->call_id,
		.launch_ns = call->start_ns,
		.complete_ns = call->start_ns + call->duration_ns,
		.submit_ns = operation->submit_ns,
		.late_ns = operation->late_ns,
		.bytes = call->bytes,
		.rc = call->rc,
		.complete = operation->loss == TM_OPERATION_LOSSES,
		.has_bytes = call->flags & TM_CALL_BYTES,
		.has_object = call->object_kind == TM_OBJECT_U128,
		.has_rc = call->flags & TM_CALL_RC,
	};
	struct meaning meaning;

	if (find_meaning(reader, batch, call->slot, &meaning))
		return -ENOMEM;
	taken.seqno = field_of(operation, TM_FIELD_SEQNO, &taken.has_seqno);
	taken.sm_id = field_of(operation, TM_FIELD_SM_ID, &taken.has_sm_id);
	for (int i = 0; i < 2; i++)
		taken.object[i] = swapped ? __builtin_bswap64(call->object[i]) : call->object[i];
	taken.layer = meaning.layer;
	taken.kind = kind ? story_input__name(reader->input, kind) : meaning.function;
	return taken.kind ? story_input__add_operation(reader->input, &taken) : -ENOMEM;
}

static int take_batch(const struct reader *reader, const struct call_batch *batch)
{
	int ret = 0;

	for (size_t i = 0; i < batch->n_calls && reader->windows && !ret; i++)
		ret = take_call(reader, batch, &batch->calls[i]);
	for (size_t i = 0; i < batch->n_operations && !reader->windows && !ret; i++)
		ret = take_operation(reader, batch, &batch->operations[i]);
	return ret;
}

/* A record with a time of its own was made before, perhaps elsewhere, and is only read here. */
static int take_records(const struct reader *reader, struct addb_batch *batch)
{
	struct addb_record record;
	struct addb_origin origin;
	int ret = 0;

	while (!ret && addb_batch__next(batch, &record, &origin)) {
		const struct addb_value *value = &record.value;

		if (value->time_ns == origin.time_ns && value->id <= ~0U)
			ret = story_input__add_record(reader->input,
						      (struct story_record){
							      .time_ns = origin.time_ns,
							      .host = reader->host,
							      .pid = origin.pid,
							      .tid = origin.tid,
							      .id = (__u32)value->id,
						      },
						      value->words, value->n);
	}
	return ret;
}

static int read_all(struct reader *reader, struct error *err)
{
	struct call_batch calls;
	struct addb_batch records;
	int ret = 0, step = 1;

	reader->host = story_input__host(reader->input, reader->run);
	recording__rewind(reader->recording);
	while (!ret && step > 0) {
		step = recording__next(reader->recording, err);
		/* What makes no sense is counted with the recording's losses. */
		if (step == RECORDING_STEP_CALLS && !recording__calls(reader->recording, &calls))
			ret = take_batch(reader, &calls);
		else if (step == RECORDING_STEP_ADDB && !reader->windows &&
			 !recording__addb(reader->recording, &records))
			ret = take_records(reader, &records);
	}
	if (ret)
		return no_memory(err);
	return step;
}

int story_reader__operations(struct story_input *input, __u32 run, struct recording *recording,
			     struct error *err)
{
	struct reader reader = { .input = input, .run = run, .recording = recording };

	return read_all(&reader, err);
}

int story_reader__calls(struct story_input *input, __u32 run, struct recording *recording,
			const struct story_window *windows, size_t n, struct error *err)
{
	struct reader reader = {
		.input = input,
		.run = run,
		.recording = recording,
		.windows = windows,
		.n_windows = n,
	};

	return read_all(&reader, err);
}
