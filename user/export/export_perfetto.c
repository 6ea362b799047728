// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "export/export_perfetto.h"
#include "export/slices.h"

/* What is done with each batch of calls: 0, or a negative errno. */
typedef int (*batch_function)(void *context, const struct call_batch *batch);

/* All batches of a recording. */
static int each_batch(struct recording *recording, batch_function function, void *context,
		      struct error *err)
{
	struct call_batch batch;
	int step, ret = 0;

	recording__rewind(recording);
	while (ret >= 0 && (step = recording__next(recording, err)) > 0) {
		/* What makes no sense is counted with the other losses. */
		if (step == RECORDING_STEP_CALLS && recording__calls(recording, &batch) == 0)
			ret = function(context, &batch);
	}
	if (ret >= 0)
		return step;
	return error__set(err, ret, "%s", strerror(-ret));
}

static int find_flows(void *context, const struct call_batch *batch)
{
	return slices__find_flows(context, batch);
}

static int match_flows(void *context, const struct call_batch *batch)
{
	slices__match_flows(context, batch);
	return 0;
}

struct writer {
	struct slices *slices;
	size_t n; /* calls and operations */
};

static int put_batch(void *context, const struct call_batch *batch)
{
	struct writer *writer = context;

	writer->n += batch->n_calls + batch->n_operations;
	return slices__put(writer->slices, batch);
}

/* An arrow has two ends, and a call is recorded when it ends: so the recording is read thrice. */
static int put_recording(struct writer *writer, struct flows *flows, const struct report_file *file,
			 const char *host, struct error *err)
{
	struct recording *recording = file->recording;
	int ret = each_batch(recording, find_flows, flows, err);

	flows__sort(flows);
	if (ret >= 0)
		ret = each_batch(recording, match_flows, flows, err);
	if (ret < 0)
		return ret;
	slices__use(writer->slices, recording__run(recording), flows, host);
	return each_batch(recording, put_batch, writer, err);
}

static int put_recordings(struct writer *writer, const struct report_parts *parts,
			  struct error *err)
{
	__u64 first = 1;
	int ret = 0;

	for (size_t i = 0; i < parts->n && ret >= 0; i++) {
		struct flows *flows = flows__new(first);

		if (!flows)
			return error__set(err, -ENOMEM, "no memory");
		ret = put_recording(writer, flows, &parts->files[i],
				    parts->n > 1 ? parts->at[i].name : NULL, err);
		first = flows__next(flows);
		flows__free(flows);
	}
	return ret;
}

static __u64 first_start(const struct report_parts *parts)
{
	__u64 first = parts->at[0].run->start_ns;

	for (size_t i = 1; i < parts->n; i++)
		if (parts->at[i].run->start_ns < first)
			first = parts->at[i].run->start_ns;
	return first;
}

int export_perfetto__write(FILE *file, const char *name, const struct report_parts *parts,
			   struct error *err)
{
	struct perfetto trace;
	struct writer writer = { 0 };
	int ret = 0;

	perfetto__start(&trace, file, first_start(parts));
	writer.slices = slices__new(&trace);
	if (!writer.slices)
		ret = error__set(err, -ENOMEM, "no memory");
	if (ret >= 0)
		ret = put_recordings(&writer, parts, err);
	if (ret >= 0 && !writer.n)
		ret = error__set(err, -ENODATA,
				 "no single calls are in the recording; --calls records them");
	else if (ret < 0)
		error__prefix(err, "%s", name);
	slices__free(writer.slices);
	perfetto__stop(&trace);
	return ret;
}
