// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "report/kept_call.h"
#include "report/process_index.h"
#include "report/slowest.h"
#include "report/slowest_table.h"

/* The slowest first. */
struct ranking {
	struct kept_call *kept;
	size_t n;
};

struct slowest {
	struct ranking calls, operations;
	size_t room; /* of each */
	const struct filter *filter;
	struct process_index *processes;
};

struct slowest *slowest__new(size_t n, const struct filter *filter)
{
	struct slowest *slowest = calloc(1, sizeof(*slowest));

	if (!slowest)
		return NULL;
	slowest->processes = process_index__new();
	slowest->calls.kept = calloc(n, sizeof(*slowest->calls.kept));
	slowest->operations.kept = calloc(n, sizeof(*slowest->operations.kept));
	if (!slowest->processes || !slowest->calls.kept || !slowest->operations.kept) {
		slowest__free(slowest);
		return NULL;
	}
	slowest->room = n;
	slowest->filter = filter;
	return slowest;
}

static void ranking__free(struct ranking *ranking)
{
	for (size_t i = 0; i < ranking->n; i++)
		kept_call__clear(&ranking->kept[i]);
	free(ranking->kept);
}

void slowest__free(struct slowest *slowest)
{
	if (!slowest)
		return;
	ranking__free(&slowest->calls);
	ranking__free(&slowest->operations);
	process_index__free(slowest->processes);
	free(slowest);
}

static __u64 duration_of(const struct kept_call *kept)
{
	return kept->record.call.duration_ns;
}

static bool passes(const struct slowest *slowest, const struct report_run *run,
		   const struct call_batch *batch, const struct tm_call *call)
{
	struct tm_series like = call_series__like(call_batch__series(batch, call->slot));

	like.key.process = process_index__find(slowest->processes, run, call->pid, call->start_ns);

	return filter__passes(slowest->filter, run, &like);
}

/* Is it one of the slowest so far, and asked for? */
static bool is_wanted(const struct slowest *slowest, const struct ranking *ranking,
		      const struct report_run *run, const struct call_batch *batch,
		      const struct tm_call *call)
{
	if (ranking->n == slowest->room &&
	    call->duration_ns <= duration_of(&ranking->kept[ranking->n - 1]))
		return false;
	return passes(slowest, run, batch, call);
}

/* A place in the order for one that takes so long; the fastest of too many goes. */
static struct kept_call *make_place(struct ranking *ranking, size_t room, __u64 duration_ns)
{
	struct kept_call *kept = ranking->kept;
	size_t at = ranking->n < room ? ranking->n++ : ranking->n - 1;

	kept_call__clear(&kept[at]);
	for (; at > 0 && duration_of(&kept[at - 1]) < duration_ns; at--)
		kept[at] = kept[at - 1];
	return &kept[at];
}

void slowest__take(struct slowest *slowest, const struct report_run *run,
		   const struct call_batch *batch)
{
	struct ranking *calls = &slowest->calls, *operations = &slowest->operations;

	for (size_t i = 0; i < batch->n_calls; i++) {
		const struct tm_call *call = &batch->calls[i];

		if (is_wanted(slowest, calls, run, batch, call))
			kept_call__take(make_place(calls, slowest->room, call->duration_ns), run,
					batch, call);
	}
	for (size_t i = 0; i < batch->n_operations; i++) {
		const struct tm_operation_record *operation = &batch->operations[i];
		const struct tm_call *call = &operation->call;

		if (is_wanted(slowest, operations, run, batch, call))
			kept_call__take_operation(
				make_place(operations, slowest->room, call->duration_ns), run,
				batch, operation);
	}
}

int slowest__each(const struct slowest *slowest,
		  int (*visit)(void *context, const struct report_run *run,
			       const struct call_batch *batch),
		  void *context)
{
	const struct ranking *const rankings[] = { &slowest->calls, &slowest->operations };
	struct kept_batch one;
	int ret = 0;

	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 0; i < rankings[k]->n && !ret; i++) {
			kept_call__batch(&rankings[k]->kept[i], &one);
			ret = visit(context, rankings[k]->kept[i].run, &one.batch);
		}
	}
	return ret;
}

int slowest__print(const struct slowest *slowest, const struct table_options *options,
		   struct error *err)
{
	const struct ranking *calls = &slowest->calls, *operations = &slowest->operations;
	int ret = 0;

	if (!calls->n && !operations->n)
		fprintf(options->out, "\nno single calls were recorded: --calls records them\n");
	if (calls->n)
		ret = slowest_table__calls(options, calls->kept, calls->n);
	if (!ret && operations->n)
		ret = slowest_table__operations(options, operations->kept, operations->n);
	return ret ? error__set(err, ret, "no memory") : table__flush(options->out, err);
}
