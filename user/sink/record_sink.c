// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "report/jobs.h"
#include "report/names.h"
#include "report/notes.h"
#include "sink/job_text.h"
#include "sink/json_addb.h"
#include "sink/json_call.h"
#include "sink/json_nodes.h"
#include "sink/json_object.h"
#include "sink/json_pool.h"
#include "sink/json_process.h"
#include "sink/json_timeline.h"
#include "sink/json_unusual.h"
#include "sink/probe_text.h"
#include "sink/record_sink.h"
#include "sink/run_text.h"
#include "sink/series_text.h"

static bool is_wanted(const struct snapshot *snapshot, size_t i, bool final)
{
	const struct tm_series *now = &snapshot->series[i]->total;
	const struct snapshot_series *before = snapshot->before[i];

	if (!now->count && !now->in_flight && !series__lost_operations(now))
		return false;
	return final || !before || now->count != before->total.count ||
	       now->in_flight != before->total.in_flight;
}

/* Has the snapshot calls of it, or might it have, had the probe not failed or lost them? */
static bool has_part(const struct snapshot *snapshot, const struct probe *probe,
		     const struct tm_ledger *ledger)
{
	bool has = probe->state == PROBE_FAILED || ledger__lost(ledger) ||
		   probe__parked_ns(probe, snapshot->time_ns);

	for (size_t i = 0; i < snapshot->n_series && !has; i++) {
		const struct tm_key *key = &snapshot->series[i]->total.key;

		has = key->layer == probe->layer_id && key->function == probe->function_id;
	}
	return has;
}

static void put_probe(const struct record_sink *sink, const struct snapshot *snapshot, size_t i)
{
	const struct tm_ledger *ledger = &snapshot->ledgers[i];
	const struct probe *probe = &sink->run->probes[i];

	if (probe->state == PROBE_OFF && !ledger->hits)
		return;
	if (sink->called_probes && i < TM_PROBE_USER && !has_part(snapshot, probe, ledger))
		return;
	probe_text__add(sink->to, sink->run, snapshot, i);
	for (enum tm_loss loss = 0; loss < TM_LOSSES; loss++) {
		if (ledger->lost[loss])
			probe_text__add_loss(sink->to, sink->run, snapshot, i, loss);
	}
}

static bool has_moved(const struct jobs *jobs)
{
	for (size_t i = jobs->first; i < jobs->end; i++)
		if (is_wanted(jobs->snapshot, i, false) ||
		    (key__is_task_io(&jobs->snapshot->series[i]->total.key) &&
		     jobs->snapshot->series[i] != jobs->snapshot->before[i]))
			return true;
	return false;
}

/* Of those that moved, or came to their end; at the run's end of all that are not told of yet. */
static void put_jobs(const struct record_sink *sink, const struct snapshot *snapshot,
		     const struct gaps *gaps, bool final)
{
	const struct job_info *info;
	struct jobs jobs;
	bool is_due;

	jobs__start(&jobs, snapshot);
	while (jobs__next(&jobs)) {
		if (!jobs__id(&jobs))
			continue;
		info = names__job(sink->run, jobs__id(&jobs));
		is_due = job_info__has_ended(info, snapshot->time_ns)
				 ? info->end_ns > snapshot->before_ns
				 : final;
		is_due |= final && sink->all_jobs;
		if (is_due || has_moved(&jobs))
			job_text__add(sink->to, sink->run, &jobs, gaps, final);
	}
}

/* What is told once, at the end. */
static void put_final(const struct record_sink *sink, const struct snapshot *snapshot)
{
	const struct report_run *run = sink->run;
	const struct pool_info *pool;

	for (size_t i = 0; i < snapshot->n_objects; i++)
		json_object__add(sink->to, run, snapshot, i);
	for (size_t i = 0; i < snapshot->n_timelines; i++)
		json_timeline__add(sink->to, run, snapshot->timelines[i], snapshot->time_ns);
	for (size_t i = 0; (pool = names__pool(run, i)); i++)
		json_pool__add(sink->to, run, pool, snapshot->time_ns);
	for (size_t i = 0; i < run->n_probes && i < snapshot->n_ledgers; i++)
		put_probe(sink, snapshot, i);
}

int record_sink__start(struct sink *base, struct error *err)
{
	struct record_sink *sink = (struct record_sink *)base;
	const struct report_run *run = sink->run;

	run_text__add(sink->to, run, 0, run->notes, run->n_start_notes);
	return sink->report(sink, err);
}

int record_sink__end(struct sink *base, const struct snapshot *snapshot, struct error *err)
{
	struct record_sink *sink = (struct record_sink *)base;
	__u64 end_ns = snapshot ? snapshot->time_ns : clock__ns(CLOCK_REALTIME);
	struct note_list notes = { 0 };

	notes__collect(&notes, sink->run, snapshot);
	run_text__add(sink->to, sink->run, end_ns, (const char *const *)notes.lines, notes.n);
	note_list__clear(&notes);
	return sink->report(sink, err);
}

int record_sink__snapshot(struct sink *base, const struct snapshot *snapshot, bool final,
			  struct error *err)
{
	struct record_sink *sink = (struct record_sink *)base;
	const struct gaps gaps = gaps__find(sink->run, snapshot->time_ns);

	for (size_t i = 0; !sink->without_series && i < snapshot->n_series; i++) {
		if (is_wanted(snapshot, i, final))
			series_text__add(sink->to, sink->run, snapshot, i, final, &gaps);
	}
	put_jobs(sink, snapshot, &gaps, final);
	if (final)
		put_final(sink, snapshot);
	return sink->report(sink, err);
}

int record_sink__calls(struct sink *base, const struct call_batch *batch, struct error *err)
{
	struct record_sink *sink = (struct record_sink *)base;

	if (!sink->calls)
		sink->calls = json_calls__new(sink->run);
	if (!sink->calls)
		return error__set(err, -ENOMEM, "single calls: no memory");
	for (size_t i = 0; i < batch->n_calls; i++)
		json_calls__add(sink->calls, sink->to, batch, i);
	for (size_t i = 0; i < batch->n_operations; i++)
		json_calls__add_operation(sink->calls, sink->to, batch, i);
	return sink->report(sink, err);
}

int record_sink__addb(struct sink *base, const struct addb_record *record,
		      const struct addb_origin *origin, struct error *err)
{
	struct record_sink *sink = (struct record_sink *)base;

	json_addb__add(sink->to, sink->run, record, origin);
	return sink->report(sink, err);
}

int record_sink__addb_counts(struct sink *base, const struct addb_counts *counts, struct error *err)
{
	struct record_sink *sink = (struct record_sink *)base;

	json_addb__add_counts(sink->to, sink->run, counts);
	return sink->report(sink, err);
}

int record_sink__process(struct sink *base, const struct process_account *account,
			 struct error *err)
{
	struct record_sink *sink = (struct record_sink *)base;

	json_process__add(sink->to, sink->run, account);
	return sink->report(sink, err);
}

/* A sink, and when what it gets was measured. */
struct nodes_sink {
	struct record_sink *sink;
	__u64 time_ns;
};

static int put_layer(void *context, const struct nodes_layer *layer)
{
	const struct nodes_sink *to = context;

	json_nodes__add(to->sink->to, to->sink->run, layer, to->time_ns);
	return 0;
}

int record_sink__nodes(struct record_sink *sink, const struct report_part *parts, size_t n,
		       const struct snapshot *snapshot, struct error *err)
{
	struct nodes_sink to = { sink, snapshot->time_ns };
	int ret = nodes__each(parts, n, put_layer, &to);

	if (ret)
		return error__set(err, ret, "records of nodes: %s", strerror(-ret));
	return sink->report(sink, err);
}

static int put_period(void *context, const struct timeline *timeline,
		      const struct slow_period *period)
{
	const struct nodes_sink *to = context;

	json_unusual__add_period(to->sink->to, to->sink->run, timeline, period, to->time_ns);
	return 0;
}

static int put_slow_node(void *context, const struct nodes_layer *layer,
			 const struct slow_node *node)
{
	const struct nodes_sink *to = context;

	json_unusual__add_node(to->sink->to, to->sink->run, layer, node, to->time_ns);
	return 0;
}

int record_sink__unusual(struct record_sink *sink, const struct report_part *parts, size_t n,
			 const struct snapshot *snapshot, struct error *err)
{
	struct nodes_sink to = { sink, snapshot->time_ns };
	int ret = unusual__each_period(snapshot, put_period, &to);

	if (!ret && n > 1)
		ret = unusual__each_node(parts, n, put_slow_node, &to);
	if (ret)
		return error__set(err, ret, "unusual records: %s", strerror(-ret));
	return sink->report(sink, err);
}

void record_sink__use(struct record_sink *sink, const struct report_run *run)
{
	sink->run = run;
	record_sink__clear(sink);
}

void record_sink__clear(struct record_sink *sink)
{
	/* It knows the processes of its run. */
	json_calls__free(sink->calls);
	sink->calls = NULL;
}
