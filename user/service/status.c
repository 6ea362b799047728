// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "report/jobs.h"
#include "report/names.h"
#include "service/status.h"
#include "sink/json_value.h"
#include "sink/probe_text.h"
#include "sink/record_text.h"

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

static void add(struct json_object *record, const char *name, struct json_object *value)
{
	json_object_object_add(record, name, value);
}

static void add_share(struct json_object *record, const char *name, double share)
{
	char text[32];

	snprintf(text, sizeof(text), "%.6f", share);
	add(record, name, share < 0 ? NULL : json_object_new_double_s(share, text));
}

/* Null where there is none. */
static void add_bound(struct json_object *record, const char *name, double bound)
{
	add_share(record, name, bound > 0 ? bound : -1);
}

static struct json_object *mechanisms(const struct report_run *run)
{
	struct json_object *object = json_object_new_object();

	for (size_t i = 0; i < run->n_mechanisms; i++)
		json_value__add_string(object, run->mechanisms[i].layer,
				       run->mechanisms[i].mechanism);
	return object;
}

static struct json_object *probe_counts(const struct status_sums *sums)
{
	struct json_object *object = json_object_new_object();

	for (enum probe_state state = 0; state < PROBE_OFF; state++)
		json_value__add_u64(object, probe_state__name(state), sums->states[state]);
	return object;
}

static struct json_object *losses(const struct status_sums *sums)
{
	struct json_object *object = json_object_new_object();

	for (enum tm_loss loss = 0; loss < TM_LOSSES; loss++)
		if (sums->lost_by[loss])
			json_value__add_u64(object, probe_loss_names[loss], sums->lost_by[loss]);
	return object;
}

static struct json_object *cost(const struct service_status *status)
{
	struct json_object *object = json_object_new_object();

	add(object, "cpus", json_object_new_uint64(status->cost.cpus));
	add_share(object, "own_share", status->cost.own_share);
	add_share(object, "probes_share", status->cost.probes_share);
	add_share(object, "other_calls_share", status->cost.other_share);
	add_share(object, "following_share", status->cost.following_share);
	json_value__add_u64(object, "hits_per_s", (__u64)status->cost.hits_per_s);
	json_value__add_u64(object, "own_cpu_ns", status->own_ns);
	json_value__add_u64(object, "memory_bytes", status->cost.memory_bytes);
	return object;
}

static struct json_object *log_counts(const struct service_status *status)
{
	struct json_object *object = json_object_new_object();

	json_value__add_u64(object, "sent", status->log.sent);
	json_value__add_u64(object, "held_back", status->log.held_back);
	json_value__add_u64(object, "lost", status->log.lost);
	json_value__add_u64(object, "waiting", status->log.waiting);
	return object;
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

static struct json_object *notes(const struct report_run *run)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < run->n_notes; i++)
		json_object_array_add(array, json_value__string(run->notes[i]));
	return array;
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
static void add_payer(struct json_object *object, const struct service_status *status,
		      const struct probe_parking *parking)
{
	if (!parking->thread_pid)
		return;
	json_value__add_u64(object, "thread_pid", parking->thread_pid);
	if (!status->names_jobs)
		return;
	json_value__add_string(object, "jobid",
			       names__jobid_of(status->run, parking->thread_job, NULL));
	json_value__add_string(object, "cgroup", names__cgroup(status->run, parking->thread_job));
}

/* Those that are parked, by the governor or the configuration, or untimed, and why. */
static struct json_object *list_probes(const struct service_status *status,
				       bool (*is_wanted)(const struct probe *probe))
{
	const struct report_run *run = status->run;
	struct json_object *array = json_object_new_array(), *object;
	char text[PROBE_REASON];

	for (size_t i = 0; i < run->n_probes; i++) {
		const struct probe *probe = &run->probes[i];

		if (!is_wanted(probe))
			continue;
		object = json_object_new_object();
		json_value__add_string(object, "layer", probe->layer);
		json_value__add_string(object, "function", probe->function);
		json_value__add_string(object, "library", probe->library);
		json_value__add_string(object, "reason", probe__reason(probe, text));
		add_payer(object, status, is_parked(probe) ? &probe->parking : &probe->untimed);
		json_object_array_add(array, object);
	}
	return array;
}

/* By which cgroups jobs are told, and why. */
static struct json_object *hierarchy(const struct hierarchy_choice *choice)
{
	struct json_object *object = choice->root ? json_object_new_object() : NULL;

	if (!object)
		return NULL;
	json_value__add_string(object, "name", cgroup__hierarchy(choice->root));
	json_value__add_string(object, "mount", choice->root->mount);
	json_value__add_string(object, "reason", hierarchy_reason_names[choice->reason]);
	return object;
}

/* What is missing in what the kernel itself counts of tasks. */
static const char *const task_io_losses[TM_TASK_IO_LOSSES] = {
	[TM_TASK_IO_NO_MARK] = "no_mark",
	[TM_TASK_IO_NO_ROOM] = "no_room",
	[TM_TASK_IO_UNSPLIT] = "unsplit",
};

/* How that is taken over. */
static struct json_object *kernel_io(const struct task_passes *passes)
{
	struct json_object *object, *lost;
	struct task_passes_figures figures;
	char text[32];

	if (!passes)
		return NULL;
	figures = task_passes__figures(passes);
	object = json_object_new_object();
	lost = json_object_new_object();
	for (int reason = 0; reason < TM_TASK_IO_LOSSES; reason++)
		if (figures.lost[reason])
			json_value__add_u64(lost, task_io_losses[reason], figures.lost[reason]);
	json_value__add_u64(object, "tasks", figures.tasks);
	json_value__add_u64(object, "pass_ns", figures.cost_ns);
	json_value__add_u64(object, "passes_ns", figures.all_ns);
	snprintf(text, sizeof(text), "%.1f", figures.interval_s);
	add(object, "interval_s", json_object_new_double_s(figures.interval_s, text));
	add(object, "lost", lost);
	return object;
}

struct json_object *status__record(const struct service_status *status)
{
	const struct report_run *run = status->run;
	struct json_object *record = json_value__record(run, "status", status->snapshot->time_ns);
	struct status_sums sums;

	if (!record)
		return NULL;
	status__sum(&sums, status);
	json_value__add_string(record, "version", run->version);
	json_value__add_u64(record, "pid", (__u64)getpid());
	json_value__add_u64(record, "start_ns", run->start_ns);
	json_value__add_string(record, "config", status->config->file);
	json_value__add_string(record, "history", status->config->history);
	json_value__add_string(record, "pins", status->config->pins);
	json_value__add_u64(record, "restarts", status->restarts);
	json_value__add_u64(record, "adopted_links", status->adopted);
	add(record, "mechanisms", mechanisms(run));
	add(record, "hierarchy", hierarchy(&status->hierarchy));
	add(record, "probes", probe_counts(&sums));
	json_value__add_u64(record, "hits", sums.hits);
	json_value__add_u64(record, "recorded", sums.recorded);
	json_value__add_u64(record, "filtered", sums.filtered);
	json_value__add_u64(record, "lost", sums.lost);
	add(record, "lost_by", losses(&sums));
	json_value__add_u64(record, "in_flight", sums.in_flight);
	json_value__add_u64(record, "jobs", count_jobs(status->snapshot));
	json_value__add_u64(record, "series", status->snapshot->n_series);
	json_value__add_u64(record, "max_series", status->config->series);
	if (status->levels)
		add(record, "levels", status->levels);
	add(record, "cost", cost(status));
	add(record, "kernel_io", kernel_io(status->passes));
	add_bound(record, "max_overhead", status->config->bounds.node);
	add_bound(record, "max_thread_overhead", status->config->bounds.thread);
	add_bound(record, "max_service_overhead", status->config->max_service_overhead);
	if (status->history_s > 0)
		add(record, "history_interval", json_object_new_double(status->history_s));
	add(record, "parked", list_probes(status, is_parked));
	add(record, "untimed", list_probes(status, is_untimed));
	add(record, "log", log_counts(status));
	add(record, "outputs", outputs__json(&status->outputs));
	add(record, "notes", notes(run));
	return record;
}

/* A line, and the record is given back. */
static void put(FILE *out, struct json_object *record)
{
	const int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;

	if (record)
		fprintf(out, "%s\n", json_object_to_json_string_ext(record, flags));
	json_object_put(record);
}

static void put_probe(const struct service_status *status, size_t i, FILE *out)
{
	struct record_text text = record_text__new(NULL);

	probe_text__add(&text.record, status->run, status->snapshot, i);
	if (!record_text__add_bytes(&text, "\n", 1))
		fwrite(text.bytes, 1, text.n, out);
	free(text.bytes);
}

void status__write(const struct service_status *status, bool probes, FILE *out)
{
	const struct report_run *run = status->run;

	put(out, status__record(status));
	for (size_t i = 0; probes && i < run->n_probes && i < status->snapshot->n_ledgers; i++)
		if (run->probes[i].state != PROBE_OFF || status->snapshot->ledgers[i].hits)
			put_probe(status, i, out);
}
