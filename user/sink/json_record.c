// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "addb/sums.h"
#include "report/figures.h"
#include "report/names.h"
#include "sink/json_record.h"
#include "sink/json_value.h"
#include "tmtrace/object.h"

static struct json_object *string_array(const char *const *strings, size_t n)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; array && i < n; i++)
		json_object_array_add(array, json_value__string(strings[i]));
	return array;
}

/* The layers in the order in which the mechanisms name them, each once. */
static void add_layers(struct json_object *record, const struct report_run *run)
{
	struct json_object *layers = json_object_new_array();
	struct json_object *mechanisms = json_object_new_object();
	struct json_object *first;
	char both[256];

	for (size_t i = 0; layers && mechanisms && i < run->n_mechanisms; i++) {
		const struct report_mechanism *m = &run->mechanisms[i];

		if (!json_object_object_get_ex(mechanisms, m->layer, &first)) {
			json_object_array_add(layers, json_value__string(m->layer));
			json_value__add_string(mechanisms, m->layer, m->mechanism);
			continue;
		}
		snprintf(both, sizeof(both), "%s+%s", json_object_get_string(first), m->mechanism);
		json_value__add_string(mechanisms, m->layer, both);
	}
	json_value__add(record, "layers", layers);
	json_value__add(record, "mechanisms", mechanisms);
}

static void add_cost(struct json_object *record, const struct report_run *run, bool ended)
{
	struct json_object *hit = run->n_hit_costs ? json_object_new_object() : NULL;
	struct json_object *inside = run->n_hit_costs ? json_object_new_object() : NULL;
	struct json_object *counted = run->n_hit_costs ? json_object_new_object() : NULL;
	struct json_object *share = NULL;
	char text[32];

	for (size_t i = 0; i < run->n_hit_costs; i++) {
		const struct report_hit_cost *cost = &run->hit_costs[i];

		json_value__add_u64(hit, cost->site_class, cost->ns);
		json_value__add_u64(inside, cost->site_class, cost->inside_ns);
		json_value__add_measured(counted, cost->site_class, cost->counted_ns,
					 cost->counted_ns != 0);
	}
	json_value__add(record, "hit_cost_ns", hit);
	json_value__add(record, "hit_inside_ns", inside);
	json_value__add(record, "hit_counted_ns", counted);
	if (ended && run->probe_share >= 0) {
		snprintf(text, sizeof(text), "%.6f", run->probe_share);
		share = json_object_new_double_s(run->probe_share, text);
	}
	json_value__add(record, "probe_share", share);
}

struct json_object *json_record__run(const struct report_run *run, __u64 end_ns,
				     const char *const *notes, size_t n_notes)
{
	struct json_object *record =
		json_value__record(run, "run", end_ns ? end_ns : run->start_ns);
	size_t argc = 0;

	if (!record)
		return NULL;
	while (run->argv && run->argv[argc])
		argc++;
	json_value__add_string(record, "version", run->version);
	json_value__add_string(record, "kernel", run->kernel);
	json_value__add(record, "argv",
			run->combined ? NULL : string_array((const char *const *)run->argv, argc));
	json_value__add_string(record, "scope", run->scope);
	json_value__add_u64(record, "start_ns", run->start_ns);
	json_value__add_measured(record, "end_ns", end_ns, end_ns != 0);
	add_layers(record, run);
	add_cost(record, run, end_ns != 0);
	json_value__add(record, "notes", string_array(notes, n_notes));
	json_value__add(record, "final", json_object_new_boolean(end_ns != 0));
	return record;
}

static void add_errors(struct json_object *record, const struct report_run *run,
		       const struct tm_series *total)
{
	struct json_object *by = json_object_new_object();
	char name[NAMES_ROOM];

	json_value__add_u64(record, "errors", total->errors);
	for (int i = 0; by && i < TM_ERRORS; i++) {
		if (total->error_count[i])
			json_value__add_u64(
				by, names__error(run, &total->key, total->error_code[i], name),
				total->error_count[i]);
	}
	if (by && total->errors_other)
		json_value__add_u64(by, names__error(run, &total->key, 0, name),
				    total->errors_other);
	json_value__add(record, "errors_by", by);
	json_value__add_u64(record, "retries", total->retries);
}

/* Where the time inside the calls went. A VFS operation is itself the time on files. */
static void add_times(struct json_object *record, const struct report_run *run,
		      const struct tm_series *total, bool timed)
{
	static const char *const names[TM_TIMES] = {
		[TM_TIME_VFS] = "vfs_ns",     [TM_TIME_NET] = "net_ns",
		[TM_TIME_WAIT] = "wait_ns",   [TM_TIME_SYSCALL] = "syscall_ns",
		[TM_TIME_BLOCK] = "block_ns", [TM_TIME_IOWAIT] = "iowait_ns",
	};
	bool vfs = total->key.layer == TM_LAYER_VFS;

	json_value__add_measured(record, "self_ns", total->self_ns, timed);
	for (enum tm_time time = 0; time < TM_TIMES; time++) {
		bool inside = !vfs || time == TM_TIME_BLOCK || time == TM_TIME_IOWAIT;

		json_value__add_measured(record, names[time], total->times_ns[time],
					 timed && inside && report__knows(run, time));
	}
}

static void add_latency(struct json_object *record, const struct figures *figures,
			const struct snapshot_series *series)
{
	bool timed = figures->timed != 0, bucketed = figures->bucketed != 0;

	json_value__add_measured(record, "min_ns", figures->min_ns, timed);
	json_value__add_measured(record, "max_ns", figures->max_ns, timed);
	json_value__add_u64(record, "in_flight", figures->in_flight);
	json_value__add_measured(record, "p50_ns", figures->p50_ns, bucketed);
	json_value__add_measured(record, "p90_ns", figures->p90_ns, bucketed);
	json_value__add_measured(record, "p99_ns", figures->p99_ns, bucketed);
	json_value__add_measured(record, "p999_ns", figures->p999_ns, bucketed);
	json_value__add_string(record, "scheme", TM_HISTOGRAM_SCHEME);
	json_value__add(record, "buckets", timed ? json_value__buckets(&series->latency) : NULL);
	json_value__add(record, "size_buckets",
			figures->sized ? json_value__buckets(&series->size) : NULL);
}

static void add_interval(struct json_object *record, const struct report_run *run,
			 const struct snapshot *snapshot, size_t i, bool has_size)
{
	struct json_object *interval = json_object_new_object();
	struct figures figures;

	if (!interval)
		return;
	figures__interval(&figures, snapshot->series[i], snapshot->before[i]);
	json_value__add_u64(interval, "start_ns",
			    snapshot->before_ns ? snapshot->before_ns : run->start_ns);
	json_value__add_u64(interval, "end_ns", snapshot->time_ns);
	json_value__add_u64(interval, "count", figures.count);
	json_value__add_u64(interval, "errors", figures.errors);
	json_value__add_measured(interval, "bytes", figures.bytes, has_size);
	json_value__add_measured(interval, "p50_ns", figures.p50_ns, figures.bucketed != 0);
	json_value__add_measured(interval, "p99_ns", figures.p99_ns, figures.bucketed != 0);
	json_value__add_measured(interval, "max_ns", figures.max_ns, figures.timed != 0);
	json_value__add(record, "interval", interval);
}

void json_record__key(struct json_object *record, const struct report_run *run,
		      const struct tm_series *total)
{
	const struct tm_key *key = &total->key;
	char name[NAMES_ROOM];

	json_value__add_string(record, "cgroup", names__cgroup(run, key->job));
	json_value__add_cgroup(record, key->job, key->job && !run->combined);
	json_value__add_string(record, "step", names__step(run, key));
	json_value__add_string(record, "layer", names__layer(run, key->layer));
	json_value__add_string(record, "function", names__function(run, key));
	if (key->layer == TM_LAYER_VFS) {
		names__fs_type(run, total, name);
		json_value__add_string(record, "fs_type", name[0] ? name : NULL);
		json_value__add_string(record, "mount", names__mount(run, total));
	}
	if (key->layer == TM_LAYER_BLOCK) {
		names__device(run, total, name);
		json_value__add_string(record, "device", name[0] ? name : NULL);
		if (key->flags & TM_KEY_NO_DISK)
			json_value__add_string(record, "fs_type", names__fs_type(run, total, name));
		json_value__add(record, "writeback",
				json_object_new_boolean(key->flags & TM_KEY_WRITEBACK));
		json_value__add(record, "metadata",
				json_object_new_boolean(key->flags & TM_KEY_METADATA));
	}
	if (key->layer < TM_LAYER_USER)
		json_value__add(record, "where",
				key->where && !run->combined ? json_value__hex(key->where) : NULL);
}

void json_record__who(struct json_object *record, const struct process_info *process,
		      const char *jobid)
{
	json_value__add_measured(record, "pid", process ? process->pid : 0, process);
	json_value__add_measured(record, "rank", process ? (__u64)process->rank : 0,
				 process && process->rank >= 0);
	json_value__add_string(record, "comm", process ? process->comm : NULL);
	json_value__add_measured(record, "uid", process ? process->uid : 0, process);
	json_value__add_string(record, "jobid", jobid);
	json_value__add_string(record, "workflow", process ? process->workflow : NULL);
	json_value__add_string(record, "component", process ? process->component : NULL);
	if (process && process->node)
		json_value__add_string(record, "hostname", process->node);
}

void json_record__process(struct json_object *record, const struct report_run *run,
			  const struct tm_key *key)
{
	const char *jobid = names__jobid(run, key);

	json_record__who(record, names__process(run, key->process), jobid);
}

/* The sums that operations have in place of calls' times inside. */
static void add_operation_sums(struct json_object *record, const struct snapshot *snapshot,
			       const struct tm_series *total, bool timed)
{
	static const char *const times[TM_OPERATION_TIMES] = {
		[TM_OPERATION_SUBMIT] = "submit_ns",
		[TM_OPERATION_WAIT] = "wait_ns",
		[TM_OPERATION_LATE] = "late_poll_ns",
	};
	static const char *const losses[TM_OPERATION_LOSSES] = {
		[TM_OPERATION_ABANDONED] = "abandoned",
		[TM_OPERATION_FORGOTTEN] = "forgotten",
		[TM_OPERATION_KILLED] = "killed",
		[TM_OPERATION_NO_ENTRY] = "no_entry",
	};

	for (int i = 0; i < TM_OPERATION_TIMES; i++)
		json_value__add_measured(record, times[i], total->operation_ns[i], timed);
	json_value__add_measured(record, "oldest_ns", snapshot->monotonic_ns - total->queue_ns,
				 total->queue_ns != 0);
	for (int i = 0; i < TM_OPERATION_LOSSES; i++)
		json_value__add_u64(record, losses[i], total->operations_lost[i]);
}

/* What a sum over ADDB2 records is of. */
static void add_addb_key(struct json_object *record, __u64 where)
{
	bool state = addb_sum__kind(where) == ADDB_SUM_STATE;
	char text[256];

	json_value__add(record, "id", json_value__hex(tm_addb_where_id(where)));
	json_value__add_string(record, "name", addb_sum__record(where, text, sizeof(text)));
	json_value__add_string(record, "fom", addb_sum__fom(where, text, sizeof(text)));
	json_value__add_string(record, state ? "state" : "field",
			       addb_sum__what(where, text, sizeof(text)));
}

/* What belongs to no function's calls: is it of the series' kind? */
static bool has_errors(const struct tm_key *key)
{
	if (key__is_addb(key))
		return addb_sum__kind(key->where) != ADDB_SUM_STATE;
	return !key__is_by_size(key) && !key__is_association(key);
}

static const char *type_of(const struct tm_key *key)
{
	if (key__is_addb(key))
		return addb_sum__kind(key->where) == ADDB_SUM_STATE ? "addb_state" : "addb_value";
	if (key__is_operation(key))
		return "op";
	if (key__is_by_size(key))
		return "by_size";
	if (key__is_association(key))
		return "association";
	return key->layer == TM_LAYER_BLOCK ? "device" : "function";
}

/* Calls of a function that was parked for a while are not all. */
static void add_gap(struct json_object *record, const struct gaps *gaps, const struct tm_key *key)
{
	__u64 ns = gaps__of(gaps, key);

	if (ns)
		json_value__add_u64(record, "parked_ns", ns);
}

/* About as many as there are. */
#define SERIES_MEMBERS 52
#define PROBE_MEMBERS  30

struct json_object *json_record__series(const struct report_run *run,
					const struct snapshot *snapshot, size_t i, bool final,
					const struct gaps *gaps)
{
	const struct snapshot_series *series = snapshot->series[i];
	const struct tm_series *total = &series->total;
	bool block = total->key.layer == TM_LAYER_BLOCK;
	bool by_size = key__is_by_size(&total->key);
	bool addb = key__is_addb(&total->key);
	bool calls = !by_size && !addb && !key__is_association(&total->key); /* or operations */
	bool number = addb && addb_sum__kind(total->key.where) == ADDB_SUM_NUMBER;
	struct json_object *record;
	struct figures figures;
	bool has_size, timed;

	record = json_value__record(run, type_of(&total->key), snapshot->time_ns);
	if (!record)
		return NULL;
	json_value__expect(record, SERIES_MEMBERS);
	figures__total(&figures, series);
	has_size = figures.sized || (calls && names__has_size(run, &total->key));
	timed = figures.timed != 0;
	json_record__key(record, run, total);
	if (by_size)
		json_value__add(record, "size_class",
				total->key.where < TM_OBJECT_SIZES
					? json_value__size_class((__u32)total->key.where)
					: NULL);
	if (addb)
		add_addb_key(record, total->key.where);
	json_record__process(record, run, &total->key);
	json_value__add_u64(record, "count", total->count);
	if (has_errors(&total->key))
		add_errors(record, run, total);
	json_value__add_measured(record, number ? "sum" : "bytes", total->bytes, has_size);
	json_value__add_u64(record, "timed", figures.timed);
	json_value__add_measured(record, "total_ns", total->total_ns, timed);
	if (block)
		json_value__add_measured(record, "queue_ns", total->queue_ns, timed);
	else if (key__is_operation(&total->key))
		add_operation_sums(record, snapshot, total, timed);
	else if (calls)
		add_times(record, run, total, timed);
	add_latency(record, &figures, series);
	if (!final || snapshot->before_ns)
		add_interval(record, run, snapshot, i, has_size);
	add_gap(record, gaps, &total->key);
	json_value__add(record, "final", json_object_new_boolean(final));
	return record;
}

static void add_probe_names(struct json_object *record, const struct probe *probe)
{
	json_value__add_string(record, "layer", probe->layer);
	json_value__add_string(record, "function", probe->function);
	json_value__add_string(record, "library", probe->library);
}

static struct json_object *fates(const struct tm_call_fates *fates, bool are_calls)
{
	struct json_object *object = json_object_new_object();

	if (!object)
		return NULL;
	json_value__add_u64(object, "recorded", fates->recorded);
	json_value__add_u64(object, "too_short", fates->too_short);
	json_value__add_u64(object, "sampled_out", fates->sampled_out);
	json_value__add_u64(object, "full", fates->full);
	json_value__add_u64(object, "busy", fates->busy);
	if (are_calls)
		json_value__add_u64(object, "untimed", fates->untimed);
	return object;
}

/* What became of the single calls; NULL where they are not recorded. */
static struct json_object *recorded_calls(const struct snapshot *snapshot, size_t i)
{
	if (!snapshot->call_ledgers)
		return NULL;
	return fates(&snapshot->call_ledgers[i].calls, true);
}

/* The same of the operations that they launched; NULL: none has ended. */
static struct json_object *recorded_operations(const struct snapshot *snapshot, size_t i)
{
	static const struct tm_call_fates none = { 0 };

	if (!snapshot->call_ledgers ||
	    !memcmp(&snapshot->call_ledgers[i].operations, &none, sizeof(none)))
		return NULL;
	return fates(&snapshot->call_ledgers[i].operations, false);
}

/* Of one that never was parked there is nothing to say. */
static void add_parking(struct json_object *record, const struct probe *probe, __u64 now_ns)
{
	const struct probe_parking *parking = &probe->parking;

	json_value__add_u64(record, "parked_ns", probe__parked_ns(probe, now_ns));
	json_value__add_u64(record, "parked_count", parking->count);
	if (!parking->since_ns)
		return;
	json_value__add_u64(record, "parked_since_ns", parking->since_ns);
	/* Who leaves a layer out knows until when. */
	if (!parking->bound_ppm)
		return;
	json_value__add_u64(record, "parked_until_ns", parking->until_ns);
	json_value__add_u64(record, "parked_hits_per_s", parking->hits_per_s);
	json_value__add_u64(record, "parked_cost_ns", parking->cost_ns);
}

struct json_object *json_record__probe(const struct report_run *run,
				       const struct snapshot *snapshot, size_t i)
{
	const struct probe *probe = &run->probes[i];
	const struct tm_ledger *ledger = &snapshot->ledgers[i];
	struct json_object *record = json_value__record(run, "probe", snapshot->time_ns);
	char reason[PROBE_REASON];
	__u64 lost = 0;

	if (!record)
		return NULL;
	json_value__expect(record, PROBE_MEMBERS);
	for (int loss = 0; loss < TM_LOSSES; loss++)
		lost += ledger->lost[loss];
	add_probe_names(record, probe);
	json_value__add(record, "site", probe->library ? json_value__hex(probe->site) : NULL);
	json_value__add_string(record, "mechanism", probe->mechanism);
	json_value__add_string(record, "state", probe_state__name(probe->state));
	json_value__add_string(record, "entry", entry__name(&probe->entry));
	json_value__add_u64(record, "moved_bytes", probe->entry.moved);
	json_value__add_u64(record, "hits", ledger->hits);
	json_value__add_u64(record, "recorded", ledger->recorded);
	json_value__add_u64(record, "filtered", ledger->filtered);
	json_value__add_u64(record, "lost", lost);
	json_value__add_u64(record, "in_flight", ledger->in_flight);
	json_value__add_u64(record, "unsized", ledger->unsized);
	json_value__add(record, "calls", recorded_calls(snapshot, i));
	json_value__add(record, "operations", recorded_operations(snapshot, i));
	add_parking(record, probe, snapshot->time_ns);
	json_value__add_string(record, "reason", probe__reason(probe, reason));
	json_value__add(record, "final", json_object_new_boolean(1));
	return record;
}

struct json_object *json_record__loss(const struct report_run *run, const struct snapshot *snapshot,
				      size_t probe, enum tm_loss loss)
{
	struct json_object *record = json_value__record(run, "loss", snapshot->time_ns);

	if (!record)
		return NULL;
	add_probe_names(record, &run->probes[probe]);
	json_value__add_string(record, "reason", probe_loss_names[loss]);
	json_value__add_u64(record, "count", snapshot->ledgers[probe].lost[loss]);
	json_value__add(record, "final", json_object_new_boolean(1));
	return record;
}
