// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/clock.h"
#include "report/jobs.h"
#include "report/names.h"
#include "report/notes.h"
#include "sink/job_text.h"
#include "sink/json_object.h"
#include "sink/json_pool.h"
#include "sink/json_timeline.h"
#include "sink/probe_text.h"
#include "sink/records.h"
#include "sink/run_text.h"
#include "sink/series_text.h"

static void put(const struct records_sink *sink, struct json_object *record)
{
	sink->put(sink->context, record);
}

/* What is in the text by now is a record, if it could be made. The next one begins anew. */
static void put_text(const struct records_sink *sink, struct json_text *text, int failure)
{
	if (failure)
		sink->put(sink->context, NULL);
	else
		sink->put_text(sink->context, text);
	text->n = 0;
}

static void put_run(const struct records_sink *sink, const struct report_run *run, __u64 end_ns,
		    const char *const *notes, size_t n_notes)
{
	struct json_text text = { 0 };

	put_text(sink, &text, run_text__add(&text, run, end_ns, notes, n_notes));
	free(text.bytes);
}

void records__run_start(const struct records_sink *sink, const struct report_run *run)
{
	put_run(sink, run, 0, run->notes, run->n_start_notes);
}

void records__run_end(const struct records_sink *sink, const struct report_run *run,
		      const struct snapshot *snapshot)
{
	__u64 end_ns = snapshot ? snapshot->time_ns : clock__ns(CLOCK_REALTIME);
	struct note_list notes = { 0 };

	notes__collect(&notes, run, snapshot);
	put_run(sink, run, end_ns, (const char *const *)notes.lines, notes.n);
	note_list__clear(&notes);
}

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

static void put_probe(const struct records_sink *sink, const struct report_run *run,
		      const struct snapshot *snapshot, size_t i, struct json_text *text)
{
	const struct tm_ledger *ledger = &snapshot->ledgers[i];

	if (run->probes[i].state == PROBE_OFF && !ledger->hits)
		return;
	if (sink->called_probes && i < TM_PROBE_USER &&
	    !has_part(snapshot, &run->probes[i], ledger))
		return;
	put_text(sink, text, probe_text__add(text, run, snapshot, i));
	for (enum tm_loss loss = 0; loss < TM_LOSSES; loss++) {
		if (ledger->lost[loss])
			put_text(sink, text, probe_text__add_loss(text, run, snapshot, i, loss));
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
static void put_jobs(const struct records_sink *sink, const struct report_run *run,
		     const struct snapshot *snapshot, const struct gaps *gaps, bool final,
		     struct json_text *text)
{
	const struct job_info *info;
	struct jobs jobs;
	bool is_due;

	jobs__start(&jobs, snapshot);
	while (jobs__next(&jobs)) {
		if (!jobs__id(&jobs))
			continue;
		info = names__job(run, jobs__id(&jobs));
		is_due = job_info__has_ended(info, snapshot->time_ns)
				 ? info->end_ns > snapshot->before_ns
				 : final;
		is_due |= final && sink->all_jobs;
		if (is_due || has_moved(&jobs))
			put_text(sink, text, job_text__add(text, run, &jobs, gaps, final));
	}
}

void records__snapshot(const struct records_sink *sink, const struct report_run *run,
		       const struct snapshot *snapshot, bool final)
{
	const struct gaps gaps = gaps__find(run, snapshot->time_ns);
	const struct pool_info *pool;
	struct json_text text = { 0 };

	for (size_t i = 0; !sink->without_series && i < snapshot->n_series; i++) {
		if (is_wanted(snapshot, i, final))
			put_text(sink, &text,
				 series_text__add(&text, run, snapshot, i, final, &gaps));
	}
	put_jobs(sink, run, snapshot, &gaps, final, &text);
	for (size_t i = 0; final && i < snapshot->n_objects; i++)
		put(sink, json_object_record(run, snapshot, i));
	for (size_t i = 0; final && i < snapshot->n_timelines; i++)
		put(sink, json_timeline__record(run, snapshot->timelines[i], snapshot->time_ns));
	for (size_t i = 0; final && (pool = names__pool(run, i)); i++)
		put(sink, json_pool__record(run, pool, snapshot->time_ns));
	for (size_t i = 0; final && i < run->n_probes && i < snapshot->n_ledgers; i++)
		put_probe(sink, run, snapshot, i, &text);
	free(text.bytes);
}
