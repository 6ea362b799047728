// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/jobs.h"
#include "report/names.h"
#include "service/status.h"
#include "sink/probe_text.h"
#include "sink/record_text.h"
#include "sink/record_tree.h"

void status__sum(struct status_sums *out, const struct service_status *status)
{
	const struct report_run *run = status->run;
	const struct snapshot *snapshot = status->snapshot;

	*out = (struct status_sums){ 0 };
	for (size_t i = 0; i < run->n_probes && i < snapshot->n_ledgers; i++) {
		const struct tm_ledger *ledger = &snapshot->ledgers[i];

		out->states[run->probes[i].state]++;
		out->hits += ledger->hits;
		out->recorded += ledger->recorded;
		out->filtered += ledger->filtered;
		out->in_flight += ledger->in_flight;
		for (int loss = 0; loss < TM_LOSSES; loss++) {
			out->lost += ledger->lost[loss];
			out->lost_by[loss] += ledger->lost[loss];
		}
	}
}

static void add_share(struct record *record, const char *name, double share)
{
	if (share < 0)
		record__null(record, name);
	else
		record__fixed(record, name, share, 6);
}

/* Null where there is none. */
static void add_bound(struct record *record, const char *name, double bound)
{
	add_share(record, name, bound > 0 ? bound : -1);
}

/* Is there another one of its layer, from first to end - 1? */
static bool has_layer(const struct report_run *run, size_t i, size_t first, size_t end)
{
	for (size_t k = first; k < end; k++)
		if (!strcmp(run->mechanisms[k].layer, run->mechanisms[i].layer))
			return true;
	return false;
}

/* Of a layer that has several, the last one. */
static void add_mechanisms(struct record *record, const struct report_run *run)
{
	record__open(record, "mechanisms");
	for (size_t i = 0; i < run->n_mechanisms; i++) {
		size_t last = run->n_mechanisms - 1;

		if (has_layer(run, i, 0, i))
			continue;
		while (!has_layer(run, i, last, last + 1))
			last--;
		record__string(record, run->mechanisms[i].layer, run->mechanisms[last].mechanism);
	}
	record__close(record);
}

static void add_probe_counts(struct record *record, const struct status_sums *sums)
{
	record__open(record, "probes");
	for (enum probe_state state = 0; state < PROBE_OFF; state++)
		record__u64(record, probe_state__name(state), sums->states[state]);
	record__close(record);
}

static void add_losses(struct record *record, const struct status_sums *sums)
{
	record__open(record, "lost_by");
	for (enum tm_loss loss = 0; loss < TM_LOSSES; loss++)
		if (sums->lost_by[loss])
			record__u64(record, probe_loss_names[loss], sums->lost_by[loss]);
	record__close(record);
}

static void add_cost(struct record *record, const struct service_status *status)
{
	record__open(record, "cost");
	record__u64(record, "cpus", status->cost.cpus);
	add_share(record, "own_share", status->cost.own_share);
	add_share(record, "probes_share", status->cost.probes_share);
	add_share(record, "other_calls_share", status->cost.other_share);
	add_share(record, "following_share", status->cost.following_share);
	record__u64(record, "hits_per_s", (__u64)status->cost.hits_per_s);
	record__u64(record, "own_cpu_ns", status->own_ns);
	record__u64(record, "memory_bytes", status->cost.memory_bytes);
	record__close(record);
}

static void add_log(struct record *record, const struct service_status *status)
{
	record__open(record, "log");
	record__u64(record, "sent", status->log.sent);
	record__u64(record, "held_back", status->log.held_back);
	record__u64(record, "lost", status->log.lost);
	record__u64(record, "waiting", status->log.waiting);
	record__close(record);
}

static __u64 count_jobs(const struct snapshot *snapshot)
{
	struct jobs jobs;
	__u64 n = 0;

	jobs__start(&jobs, snapshot);
	while (jobs__next(&jobs))
		n++;
	return n;
}

static void add_notes(struct record *record, const struct report_run *run)
{
	record__open_array(record, "notes");
	for (size_t i = 0; i < run->n_notes; i++)
		record__string(record, NULL, run->notes[i]);
	record__close_array(record);
}

static bool is_parked(const struct probe *probe)
{
	return probe->state == PROBE_PARKED;
}

/* Are its calls counted, and not timed just now? */
static bool is_untimed(const struct probe *probe)
{
	return probe->state == PROBE_ARMED && probe->untimed.since_ns;
}

/* For whose load it is parked: of the thread from which most was taken then. */
static void add_payer(struct record *record, const struct service_status *status,
		      const struct probe_parking *parking)
{
	if (!parking->thread_pid)
		return;
	record__u64(record, "thread_pid", parking->thread_pid);
	if (!status->names_jobs)
		return;
	record__string(record, "jobid", names__jobid_of(status->run, parking->thread_job, NULL));
	record__string(record, "cgroup", names__cgroup(status->run, parking->thread_job));
}

/* Those that are parked, by the governor or the configuration, or untimed, and why. */
static void add_probes(struct record *record, const char *name, const struct service_status *status,
		       bool (*is_wanted)(const struct probe *probe))
{
	const struct report_run *run = status->run;
	char text[PROBE_REASON];

	record__open_array(record, name);
	for (size_t i = 0; i < run->n_probes; i++) {
		const struct probe *probe = &run->probes[i];

		if (!is_wanted(probe))
			continue;
		record__open(record, NULL);
		record__string(record, "layer", probe->layer);
		record__string(record, "function", probe->function);
		record__string(record, "library", probe->library);
		record__string(record, "reason", probe__reason(probe, text));
		add_payer(record, status, is_parked(probe) ? &probe->parking : &probe->untimed);
		record__close(record);
	}
	record__close_array(record);
}

/* By which cgroups jobs are told, and why. */
static void add_hierarchy(struct record *record, const struct hierarchy_choice *choice)
{
	if (!choice->root) {
		record__null(record, "hierarchy");
		return;
	}
	record__open(record, "hierarchy");
	record__string(record, "name", cgroup__hierarchy(choice->root));
	record__string(record, "mount", choice->root->mount);
	record__string(record, "reason", hierarchy_reason_names[choice->reason]);
	record__close(record);
}

/* What is missing in what the kernel itself counts of tasks. */
static const char *const task_io_losses[TM_TASK_IO_LOSSES] = {
	[TM_TASK_IO_NO_MARK] = "no_mark",
	[TM_TASK_IO_NO_ROOM] = "no_room",
	[TM_TASK_IO_UNSPLIT] = "unsplit",
};

/* How that is taken over. */
static void add_kernel_io(struct record *record, const struct task_passes *passes)
{
	struct task_passes_figures figures;

	if (!passes) {
		record__null(record, "kernel_io");
		return;
	}
	figures = task_passes__figures(passes);
	record__open(record, "kernel_io");
	record__u64(record, "tasks", figures.tasks);
	record__u64(record, "pass_ns", figures.cost_ns);
	record__u64(record, "passes_ns", figures.all_ns);
	record__fixed(record, "interval_s", figures.interval_s, 1);
	record__open(record, "lost");
	for (int reason = 0; reason < TM_TASK_IO_LOSSES; reason++)
		if (figures.lost[reason])
			record__u64(record, task_io_losses[reason], figures.lost[reason]);
	record__close(record);
	record__close(record);
}

static void add_status(struct record *record, const struct service_status *status)
{
	const struct report_run *run = status->run;
	struct status_sums sums;

	record__begin(record, run, "status", status->snapshot->time_ns, run->hostname);
	status__sum(&sums, status);
	record__string(record, "version", run->version);
	record__u64(record, "pid", (__u64)getpid());
	record__u64(record, "start_ns", run->start_ns);
	record__string(record, "config", status->config->file);
	record__string(record, "history", status->config->history);
	record__string(record, "pins", status->config->pins);
	record__u64(record, "restarts", status->restarts);
	record__u64(record, "adopted_links", status->adopted);
	add_mechanisms(record, run);
	add_hierarchy(record, &status->hierarchy);
	add_probe_counts(record, &sums);
	record__u64(record, "hits", sums.hits);
	record__u64(record, "recorded", sums.recorded);
	record__u64(record, "filtered", sums.filtered);
	record__u64(record, "lost", sums.lost);
	add_losses(record, &sums);
	record__u64(record, "in_flight", sums.in_flight);
	record__u64(record, "jobs", count_jobs(status->snapshot));
	record__u64(record, "series", status->snapshot->n_series);
	record__u64(record, "max_series", status->config->series);
	if (status->levels)
		record_tree__walk(status->levels, record, "levels");
	add_cost(record, status);
	add_kernel_io(record, status->passes);
	add_bound(record, "max_overhead", status->config->bounds.node);
	add_bound(record, "max_thread_overhead", status->config->bounds.thread);
	add_bound(record, "max_service_overhead", status->config->max_service_overhead);
	if (status->history_s > 0)
		record__double(record, "history_interval", status->history_s);
	add_probes(record, "parked", status, is_parked);
	add_probes(record, "untimed", status, is_untimed);
	add_log(record, status);
	outputs__add(&status->outputs, record);
	add_notes(record, run);
	record__end(record);
}

void status__write(const struct service_status *status, bool probes, FILE *out)
{
	struct record_text text = record_text__new(record_text__end_line);
	const struct report_run *run = status->run;

	add_status(&text.record, status);
	for (size_t i = 0; probes && i < run->n_probes && i < status->snapshot->n_ledgers; i++)
		if (run->probes[i].state != PROBE_OFF || status->snapshot->ledgers[i].hits)
			probe_text__add(&text.record, run, status->snapshot, i);
	fwrite(text.bytes, 1, text.n, out);
	free(text.bytes);
}
