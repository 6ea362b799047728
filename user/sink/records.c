// SPDX-License-Identifier: GPL-2.0-only
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

void records__start(struct records *records)
{
	const struct report_run *run = records->run;

	run_text__add(records->to, run, 0, run->notes, run->n_start_notes);
}

void records__end(struct records *records, const struct snapshot *snapshot)
{
	__u64 end_ns = snapshot ? snapshot->time_ns : clock__ns(CLOCK_REALTIME);
	struct note_list notes = { 0 };

	notes__collect(&notes, records->run, snapshot);
	run_text__add(records->to, records->run, end_ns, (const char *const *)notes.lines, notes.n);
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

static void put_probe(const struct records *records, const struct snapshot *snapshot, size_t i)
{
	const struct tm_ledger *ledger = &snapshot->ledgers[i];
	const struct probe *probe = &records->run->probes[i];

	if (probe->state == PROBE_OFF && !ledger->hits)
		return;
	if (records->called_probes && i < TM_PROBE_USER && !has_part(snapshot, probe, ledger))
		return;
	probe_text__add(records->to, records->run, snapshot, i);
	for (enum tm_loss loss = 0; loss < TM_LOSSES; loss++) {
		if (ledger->lost[loss])
			probe_text__add_loss(records->to, records->run, snapshot, i, loss);
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
static void put_jobs(const struct records *records, const struct snapshot *snapshot,
		     const struct gaps *gaps, bool final)
{
	const struct job_info *info;
	struct jobs jobs;
	bool is_due;

	jobs__start(&jobs, snapshot);
	while (jobs__next(&jobs)) {
		if (!jobs__id(&jobs))
			continue;
		info = names__job(records->run, jobs__id(&jobs));
		is_due = job_info__has_ended(info, snapshot->time_ns)
				 ? info->end_ns > snapshot->before_ns
				 : final;
		is_due |= final && records->all_jobs;
		if (is_due || has_moved(&jobs))
			job_text__add(records->to, records->run, &jobs, gaps, final);
	}
}

/* What is told once, at the end. */
static void put_final(const struct records *records, const struct snapshot *snapshot)
{
	const struct report_run *run = records->run;
	const struct pool_info *pool;

	for (size_t i = 0; i < snapshot->n_objects; i++)
		json_object__add(records->to, run, snapshot, i);
	for (size_t i = 0; i < snapshot->n_timelines; i++)
		json_timeline__add(records->to, run, snapshot->timelines[i], snapshot->time_ns);
	for (size_t i = 0; (pool = names__pool(run, i)); i++)
		json_pool__add(records->to, run, pool, snapshot->time_ns);
	for (size_t i = 0; i < run->n_probes && i < snapshot->n_ledgers; i++)
		put_probe(records, snapshot, i);
}

void records__snapshot(struct records *records, const struct snapshot *snapshot, bool final)
{
	const struct gaps gaps = gaps__find(records->run, snapshot->time_ns);

	for (size_t i = 0; !records->without_series && i < snapshot->n_series; i++) {
		if (is_wanted(snapshot, i, final))
			series_text__add(records->to, records->run, snapshot, i, final, &gaps);
	}
	put_jobs(records, snapshot, &gaps, final);
	if (final)
		put_final(records, snapshot);
}
