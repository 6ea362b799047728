// SPDX-License-Identifier: GPL-2.0-only
#include "addb/sums.h"
#include "report/figures.h"
#include "report/names.h"
#include "report/series_kind.h"
#include "sink/estimate_text.h"
#include "sink/series_text.h"
#include "tmtrace/object.h"

static void add_errors(struct record_text *record, const struct report_run *run,
		       const struct tm_series *total)
{
	char name[NAMES_ROOM];

	record_text__u64(record, "errors", total->errors);
	record_text__open(record, "errors_by");
	for (int i = 0; i < TM_ERRORS; i++)
		if (total->error_count[i])
			record_text__u64(record,
					 names__error(run, &total->key, total->error_code[i], name),
					 total->error_count[i]);
	if (total->errors_other)
		record_text__u64(record, names__error(run, &total->key, 0, name),
				 total->errors_other);
	record_text__close(record);
	record_text__u64(record, "retries", total->retries);
}

/* Where the time inside the calls went. A VFS operation is itself the time on files. */
static void add_times(struct record_text *record, const struct report_run *run,
		      const struct tm_series *total, bool timed)
{
	static const char *const names[TM_TIMES] = {
		[TM_TIME_VFS] = "vfs_ns",     [TM_TIME_NET] = "net_ns",
		[TM_TIME_WAIT] = "wait_ns",   [TM_TIME_SYSCALL] = "syscall_ns",
		[TM_TIME_BLOCK] = "block_ns", [TM_TIME_IOWAIT] = "iowait_ns",
	};
	bool vfs = total->key.layer == TM_LAYER_VFS;

	record_text__measured(record, "self_ns", total->self_ns, timed);
	for (enum tm_time time = 0; time < TM_TIMES; time++) {
		bool inside = !vfs || time == TM_TIME_BLOCK || time == TM_TIME_IOWAIT;

		record_text__measured(record, names[time], total->times_ns[time],
				      timed && inside && report__knows(run, time));
	}
}

static void add_buckets(struct record_text *record, const char *name,
			const struct histogram *histogram, bool measured)
{
	if (measured)
		record_text__buckets(record, name, histogram);
	else
		record_text__null(record, name);
}

static void add_latency(struct record_text *record, const struct figures *figures,
			const struct snapshot_series *series)
{
	bool timed = figures->timed != 0, bucketed = figures->bucketed != 0;

	record_text__measured(record, "min_ns", figures->min_ns, timed);
	record_text__measured(record, "max_ns", figures->max_ns, timed);
	record_text__u64(record, "in_flight", figures->in_flight);
	record_text__measured(record, "p50_ns", figures->p50_ns, bucketed);
	record_text__measured(record, "p90_ns", figures->p90_ns, bucketed);
	record_text__measured(record, "p99_ns", figures->p99_ns, bucketed);
	record_text__measured(record, "p999_ns", figures->p999_ns, bucketed);
	record_text__string(record, "scheme", TM_HISTOGRAM_SCHEME);
	add_buckets(record, "buckets", &series->latency, timed);
	add_buckets(record, "size_buckets", &series->size, figures->sized != 0);
}

static void add_interval(struct record_text *record, const struct report_run *run,
			 const struct snapshot *snapshot, size_t i, bool has_size)
{
	struct figures figures;

	record_text__open(record, "interval");
	figures__interval(&figures, snapshot->series[i], snapshot->before[i]);
	record_text__u64(record, "start_ns",
			 snapshot->before_ns ? snapshot->before_ns : run->start_ns);
	record_text__u64(record, "end_ns", snapshot->time_ns);
	record_text__u64(record, "count", figures.count);
	record_text__u64(record, "errors", figures.errors);
	record_text__measured(record, "bytes", figures.bytes, has_size);
	record_text__measured(record, "p50_ns", figures.p50_ns, figures.bucketed != 0);
	record_text__measured(record, "p99_ns", figures.p99_ns, figures.bucketed != 0);
	record_text__measured(record, "max_ns", figures.max_ns, figures.timed != 0);
	record_text__close(record);
}

void series_text__add_key(struct record_text *record, const struct report_run *run,
			  const struct tm_series *total)
{
	const struct tm_key *key = &total->key;
	char name[NAMES_ROOM];

	record_text__string(record, "cgroup", names__cgroup(run, key->job));
	record_text__cgroup(record, key->job, key->job && !run->combined);
	record_text__string(record, "step", names__step(run, key));
	record_text__string(record, "layer", names__layer(run, key->layer));
	record_text__string(record, "function", names__function(run, key));
	if (key->layer == TM_LAYER_VFS) {
		names__fs_type(run, total, name);
		record_text__string(record, "fs_type", name[0] ? name : NULL);
		record_text__string(record, "mount", names__mount(run, total));
	}
	if (key->layer == TM_LAYER_BLOCK) {
		names__device(run, total, name);
		record_text__string(record, "device", name[0] ? name : NULL);
		if (key->flags & TM_KEY_NO_DISK)
			record_text__string(record, "fs_type", names__fs_type(run, total, name));
		record_text__bool(record, "writeback", key->flags & TM_KEY_WRITEBACK);
		record_text__bool(record, "metadata", key->flags & TM_KEY_METADATA);
	}
	if (key->layer >= TM_LAYER_USER)
		return;
	if (key->where && !run->combined)
		record_text__hex(record, "where", key->where);
	else
		record_text__null(record, "where");
}

void series_text__add_who(struct record_text *record, const struct process_info *process,
			  const char *jobid)
{
	record_text__number(record, "pid", process ? process->pid : 0, process);
	record_text__measured(record, "rank", process ? (__u64)process->rank : 0,
			      process && process->rank >= 0);
	record_text__string(record, "comm", process ? process->comm : NULL);
	record_text__measured(record, "uid", process ? process->uid : 0, process);
	record_text__string(record, "jobid", jobid);
	record_text__string(record, "workflow", process ? process->workflow : NULL);
	record_text__string(record, "component", process ? process->component : NULL);
}

/* The sums that operations have in place of calls' times inside. */
static void add_operation_sums(struct record_text *record, const struct snapshot *snapshot,
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
		record_text__measured(record, times[i], total->operation_ns[i], timed);
	record_text__measured(record, "oldest_ns", snapshot->monotonic_ns - total->queue_ns,
			      total->queue_ns != 0);
	for (int i = 0; i < TM_OPERATION_LOSSES; i++)
		record_text__u64(record, losses[i], total->operations_lost[i]);
}

/* What a sum over ADDB2 records is of. */
static void add_addb_key(struct record_text *record, __u64 where)
{
	bool state = addb_sum__kind(where) == ADDB_SUM_STATE;
	char text[256];

	record_text__hex(record, "id", tm_addb_where_id(where));
	record_text__string(record, "name", addb_sum__record(where, text, sizeof(text)));
	record_text__string(record, "fom", addb_sum__fom(where, text, sizeof(text)));
	record_text__string(record, state ? "state" : "field",
			    addb_sum__what(where, text, sizeof(text)));
}

static const char *const types[SERIES_KINDS] = {
	[SERIES_CALLS] = "function",	 [SERIES_FILES] = "function",
	[SERIES_DEVICES] = "device",	 [SERIES_OPERATIONS] = "op",
	[SERIES_BY_SIZE] = "by_size",	 [SERIES_ASSOCIATIONS] = "association",
	[SERIES_STATES] = "addb_state",	 [SERIES_VALUES] = "addb_value",
	[SERIES_KERNEL_IO] = "function", [SERIES_UNSEEN] = "function",
};

/* Are the figures those of a function's calls, or of what they launched? */
static bool is_of_calls(enum series_kind kind)
{
	return kind <= SERIES_OPERATIONS;
}

/* Calls of a function that was parked for a while are not all, nor are its times. */
static void add_gap(struct record_text *record, const struct gaps *gaps, const struct tm_key *key)
{
	__u64 ns = gaps__of(gaps, key);

	if (ns)
		record_text__u64(record, "parked_ns", ns);
	ns = gaps__untimed(gaps, key);
	if (ns)
		record_text__u64(record, "untimed_ns", ns);
}

/*
 * Was something of it not seen, and it is not known how much? What stands beside calls is seen with
 * them.
 */
static bool is_of_unknown(const struct snapshot *snapshot, size_t i, const struct gaps *gaps)
{
	struct tm_key calls = snapshot->series[i]->total.key;
	struct unseen_calls unseen;

	if (calls.layer < TM_LAYER_USER)
		return gaps__of(gaps, &calls) && !estimate__is_told(snapshot, i);
	if (!key__is_addb(&calls)) {
		calls.flags = 0;
		calls.where = 0;
		if (unseen_calls__of(&unseen, snapshot, &calls, false))
			return key__is_beside(&snapshot->series[i]->total.key) &&
			       unseen.figures[TM_UNSEEN_MISSED_NS];
	}
	return gaps__of(gaps, &calls);
}

/* What of all there was the figures are of. */
static void add_estimate(struct record_text *record, const struct snapshot *snapshot, size_t i,
			 const struct gaps *gaps, bool sized, bool timed)
{
	struct estimate estimate;

	if (estimate__of_series(&estimate, snapshot, i, gaps))
		estimate_text__add(record, &estimate, sized, timed);
	else if (is_of_unknown(snapshot, i, gaps))
		estimate_text__add_unknown(record);
}

static void add_size_class(struct record_text *record, __u64 class)
{
	if (class < TM_OBJECT_SIZES)
		record_text__size_class(record, "size_class", (__u32) class);
	else
		record_text__null(record, "size_class");
}

static void add_where_time_went(struct record_text *record, const struct report_run *run,
				const struct snapshot *snapshot, const struct tm_series *total,
				bool timed)
{
	enum series_kind kind = series_kind__of(&total->key);

	if (kind == SERIES_DEVICES)
		record_text__measured(record, "queue_ns", total->queue_ns, timed);
	else if (kind == SERIES_OPERATIONS)
		add_operation_sums(record, snapshot, total, timed);
	else if (is_of_calls(kind))
		add_times(record, run, total, timed);
}

/* Of calls or operations it may be known that they have sizes before there are any. */
static bool has_size(const struct report_run *run, const struct tm_key *key,
		     const struct figures *figures)
{
	return figures->sized || (is_of_calls(series_kind__of(key)) && names__has_size(run, key));
}

int series_text__add(struct json_text *text, const struct report_run *run,
		     const struct snapshot *snapshot, size_t i, bool final, const struct gaps *gaps)
{
	const struct snapshot_series *series = snapshot->series[i];
	const struct tm_series *total = &series->total;
	const struct tm_key *key = &total->key;
	enum series_kind kind = series_kind__of(key);
	bool number = kind == SERIES_VALUES && addb_sum__kind(key->where) == ADDB_SUM_NUMBER;
	struct record_text record = record_text__begin(text);
	struct figures figures;
	const struct process_info *process;
	const char *jobid;
	bool sized, timed;

	figures__total(&figures, series);
	sized = has_size(run, key, &figures);
	timed = figures.timed != 0;
	process = names__process(run, key->process);
	record_text__head(&record, run, types[kind], snapshot->time_ns,
			  process && process->node ? process->node : run->hostname);
	series_text__add_key(&record, run, total);
	if (kind == SERIES_BY_SIZE)
		add_size_class(&record, key->where);
	if (key__is_addb(key))
		add_addb_key(&record, key->where);
	/* Other names may have taken the process's place. */
	jobid = names__jobid(run, key);
	series_text__add_who(&record, names__process(run, key->process), jobid);
	record_text__u64(&record, "count", total->count);
	if (is_of_calls(kind) || kind == SERIES_VALUES)
		add_errors(&record, run, total);
	record_text__measured(&record, number ? "sum" : "bytes", total->bytes, sized);
	record_text__u64(&record, "timed", figures.timed);
	record_text__measured(&record, "total_ns", total->total_ns, timed);
	add_where_time_went(&record, run, snapshot, total, timed);
	add_latency(&record, &figures, series);
	if (!final || snapshot->before_ns)
		add_interval(&record, run, snapshot, i, sized);
	add_gap(&record, gaps, key);
	add_estimate(&record, snapshot, i, gaps, sized, timed);
	record_text__bool(&record, "final", final);
	return record_text__end(&record);
}
