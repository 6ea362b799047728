// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/grid.h"
#include "report/kept_stack.h"
#include "report/names.h"
#include "report/process_index.h"
#include "report/slowest.h"
#include "report/units.h"
#include "tmtrace/spec.h"

/* A call with what its numbers stand for. */
struct kept {
	const struct report_run *run;
	struct tm_call call;
	struct call_series series;
	bool known; /* series is said */
	char comm[16];
	char object[TM_CALL_NAME];
	struct kept_stack *stack; /* NULL: none were recorded */
};

struct slowest {
	struct kept *calls; /* the slowest first */
	size_t n, room;
	const struct filter *filter;
	struct process_index *processes;
};

static const struct grid_column columns[] = {
	{ .title = "begin", .align = GRID_LEFT, .drop = 3 },
	{ .title = "time" },
	{ .title = "layer", .align = GRID_LEFT },
	{ .title = "function", .align = GRID_LEFT },
	{ .title = "bytes" },
	{ .title = "rc", .drop = 4 },
	{ .title = "node", .align = GRID_LEFT, .least = 8, .drop = 1 },
	{ .title = "thread", .drop = 5 },
	{ .title = "name", .align = GRID_LEFT, .drop = 2 },
	{ .title = "object", .align = GRID_LEFT, .least = 12 },
};

struct slowest *slowest__new(size_t n, const struct filter *filter)
{
	struct slowest *slowest = calloc(1, sizeof(*slowest));

	if (slowest)
		slowest->processes = process_index__new();
	if (slowest)
		slowest->calls = calloc(n, sizeof(*slowest->calls));
	if (!slowest || !slowest->calls || !slowest->processes) {
		slowest__free(slowest);
		return NULL;
	}
	slowest->room = n;
	slowest->filter = filter;
	return slowest;
}

void slowest__free(struct slowest *slowest)
{
	if (!slowest)
		return;
	for (size_t i = 0; i < slowest->n; i++)
		free(slowest->calls[i].stack);
	free(slowest->calls);
	process_index__free(slowest->processes);
	free(slowest);
}

static void describe_object(struct kept *kept, const struct call_batch *batch)
{
	const struct tm_call *call = &kept->call;
	const char *name = call_batch__name(batch, call);

	if (call->object_kind == TM_OBJECT_STRING && name)
		snprintf(kept->object, sizeof(kept->object), "%s", name);
	else if (call->object_kind == TM_OBJECT_VALUE)
		snprintf(kept->object, sizeof(kept->object), "0x%llx", call->object[0]);
	else if (call->object_kind == TM_OBJECT_U128)
		call_batch__u128(call, kept->object, sizeof(kept->object));
}

static bool passes(const struct slowest *slowest, const struct report_run *run,
		   const struct call_series *series, const struct tm_call *call)
{
	struct tm_series like = call_series__like(series);

	like.key.process = process_index__find(slowest->processes, run, call->pid, call->start_ns);

	return filter__passes(slowest->filter, run, &like);
}

/* Puts a call among those that are kept; the fastest of too many goes. */
static void keep(struct slowest *slowest, const struct report_run *run,
		 const struct call_batch *batch, const struct tm_call *call)
{
	const struct call_series *series = call_batch__series(batch, call->slot);
	const char *comm = call_batch__comm(batch, call->tid);
	struct kept *kept = slowest->calls;
	size_t at;

	if (!passes(slowest, run, series, call))
		return;
	at = slowest->n < slowest->room ? slowest->n++ : slowest->n - 1;
	free(kept[at].stack);
	for (; at > 0 && kept[at - 1].call.duration_ns < call->duration_ns; at--)
		kept[at] = kept[at - 1];
	kept[at] = (struct kept){ .run = run, .call = *call };
	kept[at].known = series;
	if (series)
		kept[at].series = *series;
	if (comm)
		snprintf(kept[at].comm, sizeof(kept[at].comm), "%s", comm);
	describe_object(&kept[at], batch);
	kept[at].stack = kept_stack__new(batch, call, kept[at].object);
}

void slowest__take(struct slowest *slowest, const struct report_run *run,
		   const struct call_batch *batch)
{
	for (size_t i = 0; i < batch->n_calls; i++) {
		const struct tm_call *call = &batch->calls[i];

		if (slowest->n < slowest->room ||
		    call->duration_ns > slowest->calls[slowest->n - 1].call.duration_ns)
			keep(slowest, run, batch, call);
	}
}

int slowest__each(const struct slowest *slowest,
		  int (*visit)(void *context, const struct report_run *run,
			       const struct call_batch *batch),
		  void *context)
{
	int ret = 0;

	for (size_t i = 0; i < slowest->n && !ret; i++) {
		const struct kept *kept = &slowest->calls[i];
		struct call_thread thread = { .pid = kept->call.pid, .tid = kept->call.tid };
		struct tm_call call = kept->call;
		struct call_batch batch = {
			.series = &kept->series,
			.n_series = kept->known,
			.threads = &thread,
			.n_threads = kept->comm[0] != 0,
			.calls = &call,
			.n_calls = 1,
			.names = kept->object,
			.names_bytes = sizeof(kept->object),
		};

		memcpy(thread.comm, kept->comm, sizeof(thread.comm));
		if (call.object_kind == TM_OBJECT_STRING)
			call.object[0] = 0; /* where its name is */
		if (kept->stack)
			kept_stack__use(kept->stack, &batch);
		ret = visit(context, kept->run, &batch);
	}
	return ret;
}

static int put(struct grid *grid, size_t column, const char *text)
{
	return text && *text ? grid__set(grid, column, text) : 0;
}

static int put_call(struct grid *grid, const struct kept *kept)
{
	const struct tm_call *call = &kept->call;
	const struct tm_series like = call_series__like(&kept->series);
	const struct tm_key *key = &like.key;
	char text[UNITS_ROOM];
	int ret = grid__row(grid);

	ret = ret ? ret : put(grid, 0, units__moment(text, call->start_ns));
	ret = ret ? ret : put(grid, 1, units__time(text, call->duration_ns));
	ret = ret ? ret : put(grid, 2, names__layer(kept->run, key->layer));
	ret = ret ? ret : put(grid, 3, names__function(kept->run, key));
	if (!ret && call->flags & TM_CALL_BYTES)
		ret = put(grid, 4, units__bytes(text, call->bytes));
	snprintf(text, sizeof(text), "%lld", call->rc);
	if (!ret && call->flags & TM_CALL_RC)
		ret = put(grid, 5, text);
	ret = ret ? ret : put(grid, 6, kept->run->hostname);
	snprintf(text, sizeof(text), "%u", call->tid ? call->tid : call->pid);
	ret = ret ? ret : put(grid, 7, text);
	ret = ret ? ret : put(grid, 8, kept->comm);
	return ret ? ret : put(grid, 9, kept->object);
}

int slowest__print(struct slowest *slowest, const struct table_options *options, struct error *err)
{
	struct grid *grid = grid__new(columns, sizeof(columns) / sizeof(*columns));
	int ret = grid ? 0 : -ENOMEM;

	for (size_t i = 0; i < slowest->n && !ret; i++) {
		ret = put_call(grid, &slowest->calls[i]);
		if (!ret)
			ret = kept_stack__print(slowest->calls[i].stack, grid);
	}
	if (slowest->n)
		fprintf(options->out, "\nthe slowest calls:\n");
	else
		fprintf(options->out, "\nno single calls were recorded: --calls records them\n");
	if (!ret && slowest->n)
		ret = grid__print(grid, options->out, options->width);
	grid__free(grid);
	return ret ? error__set(err, ret, "no memory") : 0;
}
