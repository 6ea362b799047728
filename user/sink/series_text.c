// SPDX-License-Identifier: GPL-2.0-only
#include "addb/sums.h"
#include "report/figures.h"
#include "report/names.h"
#include "report/series_kind.h"
#include "sink/estimate_text.h"
#include "sink/series_text.h"
#include "tmtrace/object.h"

static void add_errors(struct record *record, const struct report_run *run,
		       const struct tm_series *total)
{
	char name[NAMES_ROOM];

	record__u64(record, "errors", total->errors);
	record__open(record, "errors_by");
	for (int i = 0; i < TM_ERRORS; i++)
		if (total->error_count[i])
			record__u64(record,
				    names__error(run, &total->key, total->error_code[i], name),
				    total->error_count[i]);
	if (total->errors_other)
		record__u64(record, names__error(run, &total->key, 0, name), total->errors_other);
	record__close(record);
	record__u64(record, "retries", total->retries);
}

/* Where the time inside the calls went. A VFS operation is itself the time on files. */
static void add_times(struct record *record, const struct report_run *run,
		      const struct tm_series *total, bool timed)
{
	static const char *const names[TM_TIMES] = {
		[TM_TIME_VFS] = "vfs_ns",     [TM_TIME_NET] = "net_ns",
		[TM_TIME_WAIT] = "wait_ns",   [TM_TIME_SYSCALL] = "syscall_ns",
		[TM_TIME_BLOCK] = "block_ns", [TM_TIME_IOWAIT] = "iowait_ns",
	};
	bool vfs = total->key.layer == TM_LAYER_VFS;

	record__measured(record, "self_ns", total->self_ns, timed);
	for (enum tm_time time = 0; time < TM_TIMES; time++) {
		bool inside = !vfs || time == TM_TIME_BLOCK || time == TM_TIME_IOWAIT;

		record__measured(record, names[time], total->times_ns[time],
				 timed && inside && report__knows(run, time));
	}
}

static void add_buckets(struct record *record, const char *name, const struct histogram *histogram,
			bool measured)
{
	if (measured)
		record__buckets(record, name, histogram);
	else
		record__null(record, name);
}

static void add_latency(struct record *record, const struct figures *figures,
			const struct snapshot_series *series)
{
	bool timed = figures->timed != 0, bucketed = figures->bucketed != 0;

	record__measured(record, "min_ns", figures->min_ns, timed);
	record__measured(record, "max_ns", figures->max_ns, timed);
	record__u64(record, "in_flight", figures->in_flight);
	record__measured(record, "p50_ns", figures->p50_ns, bucketed);
	record__measured(record, "p90_ns", figures->p90_ns, bucketed);
	record__measured(record, "p99_ns", figures->p99_ns, bucketed);
	record__measured(record, "p999_ns", figures->p999_ns, bucketed);
	record__string(record, "scheme", TM_HISTOGRAM_SCHEME);
	add_buckets(record, "buckets", &series->latency, timed);
	add_buckets(record, "size_buckets", &series->size, figures->sized != 0);
}

static void add_interval(struct record *record, const struct report_run *run,
			 const struct snapshot *snapshot, size_t i, bool has_size)
{
	struct figures figures;

	record__open(record, "interval");
	figures__interval(&figures, snapshot->series[i], snapshot->before[i]);
	record__u64(record, "start_ns", snapshot->before_ns ? snapshot->before_ns : run->start_ns);
	record__u64(record, "end_ns", snapshot->time_ns);
	record__u64(record, "count", figures.count);
	record__u64(record, "errors", figures.errors);
	record__measured(record, "bytes", figures.bytes, has_size);
	record__measured(record, "p50_ns", figures.p50_ns, figures.bucketed != 0);
	record__measured(record, "p99_ns", figures.p99_ns, figures.bucketed != 0);
	record__measured(record, "max_ns", figures.max_ns, figures.timed != 0);
	record__close(record);
}

void series_text__add_key(struct record *record, const struct report_run *run,
			  const struct tm_series *total)
{
	const struct tm_key *key = &total->key;
	char name[NAMES_ROOM];

	record__string(record, "cgroup", names__cgroup(run, key->job));
	record__cgroup(record, key->job, key->job && !run->combined);
	record__string(record, "step", names__step(run, key));
	record__string(record, "layer", names__layer(run, key->layer));
	record__string(record, "function", names__function(run, key));
	if (key->layer == TM_LAYER_VFS) {
		names__fs_type(run, total, name);
		record__string(record, "fs_type", name[0] ? name : NULL);
		record__string(record, "mount", names__mount(run, total));
	}
	if (key->layer == TM_LAYER_BLOCK) {
		names__device(run, total, name);
		record__string(record, "device", name[0] ? name : NULL);
		if (key->flags & TM_KEY_NO_DISK)
			record__string(record, "fs_type", names__fs_type(run, total, name));
		record__bool(record, "writeback", key->flags & TM_KEY_WRITEBACK);
		record__bool(record, "metadata", key->flags & TM_KEY_METADATA);
	}
	if (key->layer >= TM_LAYER_USER)
		return;
	if (key->where && !run->combined)
		record__hex(record, "where", key->where);
	else
		record__null(record, "where");
}

void series_text__add_who(struct record *record, const struct process_info *process, __s64 rank,
			  const char *jobid)
{
	record__number(record, "pid", process ? process->pid : 0, process);
	record__measured(record, "rank", (__u64)rank, rank >= 0);
	record__string(record, "comm", process ? process->comm : NULL);
	record__measured(record, "uid", process ? process->uid : 0, process);
	record__string(record, "jobid", jobid);
	record__string(record, "workflow", process ? process->workflow : NULL);
	record__string(record, "component", process ? process->component : NULL);
}

/* The sums that operations have in place of calls' times inside. */
static void add_operation_sums(struct record *record, const struct snapshot *snapshot,
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
		record__measured(record, times[i], total->operation_ns[i], timed);
	record__measured(record, "oldest_ns", snapshot->monotonic_ns - total->queue_ns,
			 total->queue_ns != 0);
	for (int i = 0; i < TM_OPERATION_LOSSES; i++)
		record__u64(record, losses[i], total->operations_lost[i]);
}

/* What a sum over ADDB2 records is of. */
static void add_addb_key(struct record *record, __u64 where)
{
	bool state = addb_sum__kind(where) == ADDB_SUM_STATE;
	char text[256];

	record__hex(record, "id", tm_addb_where_id(where));
	record__string(record, "name", addb_sum__record(where, text, sizeof(text)));
	record__string(record, "fom", addb_sum__fom(where, text, sizeof(text)));
	record__string(record, state ? "state" : "field",
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
static void add_gap(struct record *record, const struct gaps *gaps, const struct tm_key *key)
{
	__u64 ns = gaps__of(gaps, key);

	if (ns)
		record__u64(record, "parked_ns", ns);
	ns = gaps__untimed(gaps, key);
	if (ns)
		record__u64(record, "untimed_ns", ns);
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
static void add_estimate(struct record *record, const struct snapshot *snapshot, size_t i,
			 const struct gaps *gaps, bool sized, bool timed)
{
	struct estimate estimate;

	if (estimate__of_series(&estimate, snapshot, i, gaps))
		estimate_text__add(record, &estimate, sized, timed);
	else if (is_of_unknown(snapshot, i, gaps))
		estimate_text__add_unknown(record);
}

static void add_size_class(struct record *record, __u64 class)
{
	if (class >= TM_OBJECT_SIZES) {
		record__null(record, "size_class");
		return;
	}
	record__open_array(record, "size_class");
	record__size_edges(record, (__u32) class);
	record__close_array(record);
}

static void add_where_time_went(struct record *record, const struct report_run *run,
				const struct snapshot *snapshot, const struct tm_series *total,
				bool timed)
{
	enum series_kind kind = series_kind__of(&total->key);

	if (kind == SERIES_DEVICES)
		record__measured(record, "queue_ns", total->queue_ns, timed);
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

void series_text__add(struct record *record, const struct report_run *run,
		      const struct snapshot *snapshot, size_t i, bool final,
		      const struct gaps *gaps)
{
	const struct snapshot_series *series = snapshot->series[i];
	const struct tm_series *total = &series->total;
	const struct tm_key *key = &total->key;
	enum series_kind kind = series_kind__of(key);
	bool number = kind == SERIES_VALUES && addb_sum__kind(key->where) == ADDB_SUM_NUMBER;
	struct figures figures;
	const struct process_info *process;
	const char *jobid;
	bool sized, timed;

	figures__total(&figures, series);
	sized = has_size(run, key, &figures);
	timed = figures.timed != 0;
	process = names__process(run, key->process);
	record__begin(record, run, types[kind], snapshot->time_ns,
		      process && process->node ? process->node : run->hostname);
	series_text__add_key(record, run, total);
	if (kind == SERIES_BY_SIZE)
		add_size_class(record, key->where);
	if (key__is_addb(key))
		add_addb_key(record, key->where);
	/* Other names may have taken the process's place. */
	jobid = names__jobid(run, key);
	process = names__process(run, key->process);
	series_text__add_who(record, process, process ? process->rank : -1, jobid);
	record__u64(record, "count", total->count);
	if (is_of_calls(kind) || kind == SERIES_VALUES)
		add_errors(record, run, total);
	record__measured(record, number ? "sum" : "bytes", total->bytes, sized);
	record__u64(record, "timed", figures.timed);
	record__measured(record, "total_ns", total->total_ns, timed);
	add_where_time_went(record, run, snapshot, total, timed);
	add_latency(record, &figures, series);
	if (!final || snapshot->before_ns)
		add_interval(record, run, snapshot, i, sized);
	add_gap(record, gaps, key);
	add_estimate(record, snapshot, i, gaps, sized, timed);
	record__bool(record, "final", final);
	record__end(record);
}
