// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "recording/process_writer.h"
#include "recording/recorded_processes.h"
#include "recording/recording_format.h"
#include "report/names.h"
#include "report/process_index.h"

/* What is found out of a process comes this much later at the latest, in nanoseconds. */
#define SETTLED_NS 2000000000ULL

/* What is in the file of a process. */
struct written {
	__u64 hash;	/* 0: nothing */
	__u64 batch;	/* of calls, before which it was last written */
	bool has_ended; /* nothing of it changes any more */
};

struct process_writer {
	struct written *at; /* by number - 1 */
	size_t n, room;
	struct process_index *index; /* NULL: no call was written yet */
	__u64 batch;		     /* number of the last one of calls */
};

struct process_writer *process_writer__new(void)
{
	return calloc(1, sizeof(struct process_writer));
}

void process_writer__free(struct process_writer *writer)
{
	if (!writer)
		return;
	process_index__free(writer->index);
	free(writer->at);
	free(writer);
}

static struct written *reach(struct process_writer *writer, __u32 number)
{
	while (writer->n < number) {
		if (array__grow((void **)&writer->at, &writer->room, writer->n,
				sizeof(*writer->at)) < 0)
			return NULL;
		writer->at[writer->n++] = (struct written){ 0 };
	}
	return &writer->at[number - 1];
}

static int put_process(struct written *written, struct ring_writer *ring, struct pack *pack,
		       __u32 number, const struct process_info *process, struct error *err)
{
	__u64 hash;

	pack__start(pack);
	recorded_processes__pack(pack, process);
	if (pack->failed)
		return -ENOMEM;
	hash = pack__hash(pack);
	if (hash == written->hash)
		return 0;
	written->hash = hash;
	return ring_writer__state(ring, RECORDING_PROCESS, number, pack->bytes, pack->n, err);
}

int process_writer__put(struct process_writer *writer, struct ring_writer *ring, struct pack *pack,
			const struct report_names *names, __u64 now_ns, struct error *err)
{
	__u32 n = names->n_processes(names->context);
	int ret = 0;

	if (n > RECORDING_SERIES_MAX)
		n = RECORDING_SERIES_MAX;
	for (__u32 number = 1; number <= n && ret >= 0; number++) {
		struct written *written = reach(writer, number);
		const struct process_info *process;

		if (!written)
			return -ENOMEM;
		if (written->has_ended)
			continue;
		process = names->process(names->context, number);
		if (!process)
			continue;
		written->has_ended = process->end_ns && process->end_ns + SETTLED_NS < now_ns;
		ret = put_process(written, ring, pack, number, process, err);
	}
	return ret;
}

/* Of the process that made a call; once in a batch. */
static int put_caller(struct process_writer *writer, struct ring_writer *ring, struct pack *pack,
		      const struct report_run *run, const struct tm_call *call, struct error *err)
{
	__u32 number = process_index__find(writer->index, run, call->pid, call->start_ns);
	const struct process_info *process;
	struct written *written;

	if (!number || number > RECORDING_SERIES_MAX)
		return 0;
	written = reach(writer, number);
	if (!written)
		return -ENOMEM;
	if (written->has_ended || written->batch == writer->batch)
		return 0;
	written->batch = writer->batch;
	process = names__process(run, number);
	return process ? put_process(written, ring, pack, number, process, err) : 0;
}

int process_writer__put_callers(struct process_writer *writer, struct ring_writer *ring,
				struct pack *pack, const struct report_run *run,
				const struct call_batch *batch, struct error *err)
{
	int ret = 0;

	if (!writer->index)
		writer->index = process_index__new();
	if (!writer->index)
		return -ENOMEM;
	writer->batch++;
	for (size_t i = 0; i < batch->n_calls && ret >= 0; i++)
		ret = put_caller(writer, ring, pack, run, &batch->calls[i], err);
	for (size_t i = 0; i < batch->n_operations && ret >= 0; i++)
		ret = put_caller(writer, ring, pack, run, &batch->operations[i].call, err);
	return ret;
}
