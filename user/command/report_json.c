// SPDX-License-Identifier: GPL-2.0-only
#include "command/report_json.h"
#include "sink/json.h"

struct calls_sink {
	struct record_sink *sink;
	const struct report_run *run; /* that the sink uses */
	struct error *err;
};

static void use(struct calls_sink *to, const struct report_run *run)
{
	if (to->run == run)
		return;
	record_sink__use(to->sink, run);
	to->run = run;
}

static int put_call(void *context, const struct report_run *run, const struct call_batch *batch)
{
	struct calls_sink *to = context;

	use(to, run);
	return SINK_CALL(&to->sink->sink, calls, batch, to->err);
}

static int put_calls(struct record_sink *sink, const struct report_run *run,
		     const struct slowest *slowest, struct error *err)
{
	struct calls_sink to = { sink, run, err };
	int ret = slowest ? slowest__each(slowest, put_call, &to) : 0;

	use(&to, run);
	return ret;
}

struct ranks_sink {
	struct record_sink *sink;
	struct error *err;
};

static int put_rank(void *context, const struct process_account *account)
{
	struct ranks_sink *to = context;

	return SINK_CALL(&to->sink->sink, process, account, to->err);
}

/* What the processes of each rank did together. */
static int put_ranks(struct record_sink *sink, const struct report_run *run,
		     const struct report_part *parts, size_t n, struct error *err)
{
	struct ranks_sink to = { sink, err };
	int ret = 0;

	for (size_t i = 0; i < n && ret >= 0; i++) {
		record_sink__use(sink, parts[i].run);
		ret = parts[i].ranks ? rank_sums__each(parts[i].ranks, put_rank, &to) : 0;
	}
	record_sink__use(sink, run);
	return ret;
}

/* A run, which the sink uses already; of several parts as one, what they have in common. */
static int put_run(struct record_sink *sink, const struct report_part *whole,
		   const struct report_part *parts, size_t n, const struct slowest *slowest,
		   struct error *err)
{
	int ret = SINK_CALL(&sink->sink, start, err);

	if (ret >= 0)
		ret = SINK_CALL(&sink->sink, snapshot, whole->snapshot, true, err);
	if (ret >= 0 && n > 1)
		ret = record_sink__nodes(sink, parts, n, whole->snapshot, err);
	if (ret >= 0)
		ret = record_sink__unusual(sink, parts, n, whole->snapshot, err);
	if (ret >= 0)
		ret = put_ranks(sink, whole->run, parts, n, err);
	if (ret >= 0)
		ret = put_calls(sink, whole->run, slowest, err);
	if (ret >= 0)
		ret = SINK_CALL(&sink->sink, end, whole->snapshot, err);
	return ret;
}

static int put_combined(struct record_sink *sink, const struct report_part *parts, size_t n,
			const struct slowest *slowest, struct error *err)
{
	struct combined *combined;
	struct report_part whole;
	int ret = 0;

	for (size_t i = 0; i < n && ret >= 0; i++) {
		record_sink__use(sink, parts[i].run);
		ret = SINK_CALL(&sink->sink, end, parts[i].snapshot, err);
	}
	if (ret < 0)
		return ret;
	ret = combined__new(&combined, parts, n);
	if (ret < 0)
		return error__set(err, ret, "no memory");
	whole = (struct report_part){
		.run = combined__run(combined),
		.snapshot = combined__snapshot(combined),
	};
	record_sink__use(sink, whole.run);
	ret = put_run(sink, &whole, parts, n, slowest, err);
	/* What is combined goes before the sink. */
	record_sink__use(sink, parts[0].run);
	combined__free(combined);
	return ret;
}

int report_json__print(const char *path, const struct report_part *parts, size_t n,
		       const struct slowest *slowest, struct error *err)
{
	struct record_sink *sink;
	struct error later;
	int closed, ret = sink_json__open(&sink, path, NULL, parts[0].run, err);

	if (ret < 0)
		return ret;
	ret = sink_json__begin(sink, err);
	if (ret >= 0 && n == 1)
		ret = put_run(sink, &parts[0], parts, n, slowest, err);
	else if (ret >= 0)
		ret = put_combined(sink, parts, n, slowest, err);
	closed = SINK_CALL(&sink->sink, close, ret < 0 ? &later : err);
	return ret < 0 ? ret : closed;
}
