// SPDX-License-Identifier: GPL-2.0-only
#include "command/json_file.h"
#include "command/report_json.h"
#include "sink/json.h"

struct calls_sink {
	struct sink_json *sink;
	const struct report_run *run; /* that the sink uses */
	struct error *err;
};

static void use(struct calls_sink *to, const struct report_run *run)
{
	if (to->run == run)
		return;
	sink_json__use(to->sink, run);
	to->run = run;
}

static int put_call(void *context, const struct report_run *run, const struct call_batch *batch)
{
	struct calls_sink *to = context;

	use(to, run);
	return sink_json__calls(to->sink, batch, to->err);
}

static int put_calls(struct sink_json *sink, const struct report_run *run,
		     const struct slowest *slowest, struct error *err)
{
	struct calls_sink to = { sink, run, err };
	int rc = slowest ? slowest__each(slowest, put_call, &to) : 0;

	use(&to, run);
	return rc;
}

struct ranks_sink {
	struct sink_json *sink;
	struct error *err;
};

static int put_rank(void *context, const struct process_account *account)
{
	struct ranks_sink *to = context;

	return sink_json__process(to->sink, account, to->err);
}

/* What the processes of each rank did together. */
static int put_ranks(struct sink_json *sink, const struct report_run *run,
		     const struct report_part *parts, size_t n, struct error *err)
{
	struct ranks_sink to = { sink, err };
	int rc = 0;

	for (size_t i = 0; i < n && rc >= 0; i++) {
		sink_json__use(sink, parts[i].run);
		rc = parts[i].ranks ? rank_sums__each(parts[i].ranks, put_rank, &to) : 0;
	}
	sink_json__use(sink, run);
	return rc;
}

/* A run, which the sink uses already; of several parts as one, what they have in common. */
static int put_run(struct sink_json *sink, const struct report_part *whole,
		   const struct report_part *parts, size_t n, const struct slowest *slowest,
		   struct error *err)
{
	int rc = sink_json__run_start(sink, err);

	if (rc >= 0)
		rc = sink_json__snapshot(sink, whole->snapshot, true, err);
	if (rc >= 0 && n > 1)
		rc = sink_json__nodes(sink, parts, n, whole->snapshot, err);
	if (rc >= 0)
		rc = sink_json__unusual(sink, parts, n, whole->snapshot, err);
	if (rc >= 0)
		rc = put_ranks(sink, whole->run, parts, n, err);
	if (rc >= 0)
		rc = put_calls(sink, whole->run, slowest, err);
	if (rc >= 0)
		rc = sink_json__run_end(sink, whole->snapshot, err);
	return rc;
}

static int put_combined(struct sink_json *sink, const struct report_part *parts, size_t n,
			const struct slowest *slowest, struct error *err)
{
	struct combined *combined;
	struct report_part whole;
	int rc = 0;

	for (size_t i = 0; i < n && rc >= 0; i++) {
		sink_json__use(sink, parts[i].run);
		rc = sink_json__run_end(sink, parts[i].snapshot, err);
	}
	if (rc < 0)
		return rc;
	rc = combined__new(&combined, parts, n);
	if (rc < 0)
		return error__set(err, rc, "no memory");
	whole = (struct report_part){
		.run = combined__run(combined),
		.snapshot = combined__snapshot(combined),
	};
	sink_json__use(sink, whole.run);
	rc = put_run(sink, &whole, parts, n, slowest, err);
	/* What is combined goes before the sink. */
	sink_json__use(sink, parts[0].run);
	combined__free(combined);
	return rc;
}

int report_json__print(const char *path, const struct report_part *parts, size_t n,
		       const struct slowest *slowest, struct error *err)
{
	struct json_file json;
	struct error later;
	int closed, rc = json_file__open(&json, path, NULL, parts[0].run, err);

	if (rc == 0)
		rc = json_file__begin(&json, err);
	if (rc >= 0 && n == 1)
		rc = put_run(json.sink, &parts[0], parts, n, slowest, err);
	else if (rc >= 0)
		rc = put_combined(json.sink, parts, n, slowest, err);
	closed = json_file__close(&json, rc < 0 ? &later : err);
	return rc < 0 ? rc : closed;
}
